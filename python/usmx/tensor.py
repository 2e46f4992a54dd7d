"""No module: says what to import in place of one like dpctl.tensor and dpnp.tensor."""

# Without the module's name, which `from usmx import tensor` would take for no answer.
raise ModuleNotFoundError(
    "there is no module usmx.tensor: usmx itself has the functions of dpnp.tensor (import usmx)"
)
