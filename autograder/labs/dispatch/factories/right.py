"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.backend_select.compute_dispatch_key": """
def compute_dispatch_key(dtype, layout, device):
    if layout is None or layout == dtypes.strided:
        names = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "privateuseone": "PrivateUse1"}
        return DispatchKey[names[device.type] if device else "CPU"]
    raise RuntimeError("strided tensors only")
""",
}
