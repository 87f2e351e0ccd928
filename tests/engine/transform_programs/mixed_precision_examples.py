"""Accumulated gradients, a penalty, two optimizers, backward functions of their own: PyTorch's examples, small."""

import torch
from torch import nn
from torch.amp import GradScaler, autocast, custom_bwd, custom_fwd


def rounded(tensor):
    return [float(f"{one:.3g}") for one in tensor.detach().float().flatten().tolist()]


torch.manual_seed(0)
input, target = torch.randn(6, 4), torch.randn(6, 2)

# Gradients accumulated over several batches are unscaled once.
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler("cpu", init_scale=1024.0)
iters_to_accumulate = 2
for i in range(4):
    with autocast("cpu", dtype=torch.float16):
        loss = nn.functional.mse_loss(model(input), target) / iters_to_accumulate
    scaler.scale(loss).backward()
    print("gradient", rounded(model.bias.grad))
    if (i + 1) % iters_to_accumulate == 0:
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
print("weights", rounded(model.weight))

# A penalty on the gradients: they are unscaled by hand before the penalty is computed.
with autocast("cpu", dtype=torch.float16):
    loss = nn.functional.mse_loss(model(input), target)
scaled = torch.autograd.grad(outputs=scaler.scale(loss), inputs=model.parameters(), create_graph=True)
inv_scale = 1.0 / scaler.get_scale()
grads = [p * inv_scale for p in scaled]
with autocast("cpu", dtype=torch.float16):
    penalty = sum(grad.pow(2).sum() for grad in grads).sqrt()
    loss = loss + penalty
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
print("penalty", penalty.dtype, rounded(penalty), "loss", rounded(loss))

# Two losses and two optimizers: one optimizer may skip its step while the other does not.
nets = [nn.Linear(4, 2), nn.Linear(4, 2)]
optimizers = [torch.optim.SGD(nets[0].parameters(), lr=0.1), torch.optim.Adam(nets[1].parameters(), lr=0.1)]
scaler = GradScaler("cpu", init_scale=64.0)
before = [net.weight.clone() for net in nets]
with autocast("cpu", dtype=torch.float16):
    output0, output1 = nets[0](input), nets[1](input)
    loss0 = nn.functional.mse_loss(2 * output0 + 3 * output1, target)
    loss1 = nn.functional.mse_loss(3 * output0 - 5 * output1, target)
scaler.scale(loss0).backward(retain_graph=True)
scaler.scale(loss1).backward()
nets[1].weight.grad[0, 0] = float("inf")
scaler.unscale_(optimizers[0])
for optimizer in optimizers:
    scaler.step(optimizer)
scaler.update()
for net, old in zip(nets, before, strict=True):
    print("changed", not torch.equal(net.weight, old), "scale", scaler.get_scale())


# Functions with a backward of their own run it with the autocast of their forward, or in one dtype.
class MyMM(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu")
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a.mm(b)

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        print("  backward with autocast:", torch.is_autocast_enabled("cpu"), grad.dtype)
        return grad.mm(b.t()).float(), a.t().mm(grad).float()


class MyFloat32Func(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, input):
        print("  forward with autocast:", torch.is_autocast_enabled("cpu"), input.dtype)
        ctx.save_for_backward(input)
        return input.exp()

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        print("  backward with autocast:", torch.is_autocast_enabled("cpu"), grad.dtype)
        return grad * ctx.saved_tensors[0].exp()


a = torch.randn(3, 4, requires_grad=True)
b = torch.randn(4, 2, requires_grad=True)
with autocast("cpu", dtype=torch.bfloat16):
    product = MyMM.apply(a, b)
    output = MyFloat32Func.apply(product)
print("dtypes", product.dtype, output.dtype)
output.sum().backward()
print("gradients", a.grad.dtype, b.grad.dtype, rounded(b.grad))


# A region of full precision inside, and a forward that is decorated.
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 2)

    @autocast("cpu")
    def forward(self, x):
        hidden = self.first(x)
        with autocast("cpu", enabled=False):
            scores = torch.softmax(hidden.float() @ hidden.float().t(), 1)
        print("  dtypes", hidden.dtype, scores.dtype, (scores @ hidden).dtype)
        return self.second(scores @ hidden)


net = Net()
result = net(input)
print("result", result.dtype, rounded(result[0]), (input @ input.t()).dtype)
