"""Wrong answers to aten.structured.GivenOutputs."""

from autograder.made_up.wrong_answer import WrongAnswer

OUTPUTS = "aten.structured.GivenOutputs"


def _outputs(**changed: str) -> str:
    """`GivenOutputs` in other words, with some methods changed."""
    methods = {
        "raw": """
        output = self.outputs[index]
        if differences(output, output._sizes if self.resizes else sizes, dtype, device):
            raise RuntimeError("the given tensor is another")
        if self.resizes:
            resize_output(output, sizes, strides)""",
        "strided": """
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        if self.outputs[index]._strides != strides:
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))""",
        "proxy": """
        if self.proxy_outputs is None:
            self.proxy_outputs = {}
        self.proxy_outputs[index] = proxy""",
        "get": """
        if self.proxy_outputs and index in self.proxy_outputs:
            return self.proxy_outputs[index]
        return self.outputs[index]""",
        "back": """
        for index in self.proxy_outputs or ():
            at.copy_(self.outputs[index], self.proxy_outputs[index])""",
    } | changed
    return f"""
class GivenOutputs(MetaBase):
    def set_output_raw_strided(self, index, sizes, strides, dtype, device):{methods["raw"]}

    def set_output_strided(self, index, sizes, strides, dtype, device):{methods["strided"]}

    def set_proxy_output(self, index, proxy):{methods["proxy"]}

    def maybe_get_output(self, index=0):{methods["get"]}

    def copy_back(self):{methods["back"]}
"""


WRONG_ANSWERS = (
    WrongAnswer(OUTPUTS, "what the proxy holds is not copied back", ("proxy",), _outputs(back="\n        pass")),
    WrongAnswer(OUTPUTS, "one proxy for all outputs", ("proxy",), _outputs(
        proxy="\n        self.proxy_outputs = {index: proxy}")),
    WrongAnswer(OUTPUTS, "in place a tensor is resized as well", ("inplace",), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, output._sizes, dtype, device):
            raise RuntimeError("the given tensor is another")
        resize_output(output, sizes, strides)""")),
    WrongAnswer(OUTPUTS, "out= of other sizes is refused", ("out", "proxy"), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, sizes, dtype, device):
            raise RuntimeError("the given tensor is another")""")),
    WrongAnswer(OUTPUTS, "the dtype is not looked at", ("inplace", "out"), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, output._sizes if self.resizes else sizes, output._dtype, device):
            raise RuntimeError("the given tensor is another")
        if self.resizes:
            resize_output(output, sizes, strides)""")),
    WrongAnswer(OUTPUTS, "a proxy wherever the exact strides are asked for", ("proxy",), _outputs(strided="""
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))""")),
    WrongAnswer(OUTPUTS, "the strides are compared before the tensor is resized", ("proxy",), _outputs(strided="""
        if self.outputs[index]._strides != strides:
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))
        self.set_output_raw_strided(index, sizes, strides, dtype, device)""")),
    WrongAnswer(OUTPUTS, "the kernel fills the given tensor, proxy or not", ("proxy",), _outputs(
        get="\n        return self.outputs[index]")),
    WrongAnswer(OUTPUTS, "resized to the sizes, with contiguous strides", ("out", "proxy"), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, output._sizes if self.resizes else sizes, dtype, device):
            raise RuntimeError("the given tensor is another")
        if self.resizes:
            resize_output(output, sizes)""")),
    WrongAnswer(OUTPUTS, "resized before it is refused", ("out",), _outputs(raw="""
        output = self.outputs[index]
        if self.resizes:
            resize_output(output, sizes, strides)
        if differences(output, sizes, dtype, device):
            raise RuntimeError("the given tensor is another")""")),
    WrongAnswer(OUTPUTS, "strides of dimensions of size 1 are overlooked", ("proxy",), _outputs(strided="""
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        mine = self.outputs[index]._strides
        if any(a != b for a, b, size in zip(mine, strides, sizes) if size != 1):
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))""")),
    WrongAnswer(OUTPUTS, "strides of empty tensors are overlooked", ("proxy",), _outputs(strided="""
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        if 0 not in sizes and self.outputs[index]._strides != strides:
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))""")),
    WrongAnswer(OUTPUTS, "the proxy is always on the CPU", ("proxy",), _outputs(strided="""
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        if self.outputs[index]._strides != strides:
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, type(device)("cpu")))""")),
    WrongAnswer(OUTPUTS, "ValueError", ("inplace", "out"), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, output._sizes if self.resizes else sizes, dtype, device):
            raise ValueError("the given tensor is another")
        if self.resizes:
            resize_output(output, sizes, strides)""")),
)  # fmt: skip
