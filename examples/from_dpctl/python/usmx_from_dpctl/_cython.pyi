from typing import Any

def __getattr__(name: str) -> Any: ...  # of cython_module.pyx
