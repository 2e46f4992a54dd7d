"""No module: says what to import in place of one like dpctl.tensor and dpnp.tensor."""

raise ModuleNotFoundError(
    "there is no module usmx.tensor: usmx itself has the functions of dpnp.tensor (import usmx)",
    name="usmx.tensor",
)
