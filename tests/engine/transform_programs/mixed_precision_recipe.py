"""A network in default precision, with autocast, with a scaled loss, and saved and resumed: PyTorch's recipe, small."""

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

in_size, out_size, batches = 8, 4, 3
torch.manual_seed(0)
data = [torch.randn(16, in_size) for _ in range(batches)]
targets = [torch.randn(16, out_size) for _ in range(batches)]
loss_fn = nn.MSELoss()


class Casts(TorchDispatchMode):
    """Counts casts."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func is torch.ops.aten._to_copy.default
        return func(*args, **(kwargs or {}))


def make_model():
    torch.manual_seed(1)
    layers = []
    for _ in range(2):
        layers += [nn.Linear(in_size, in_size), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(in_size, out_size))


def train(use_amp, dtype, epochs=3, net=None, opt=None, scaler=None):
    net = net or make_model()
    opt = opt or torch.optim.SGD(net.parameters(), lr=0.01)
    scaler = scaler or torch.amp.GradScaler("cpu", init_scale=2.0**20, growth_interval=4, enabled=use_amp)
    losses = []
    for _ in range(epochs):
        for input, target in zip(data, targets, strict=True):
            with torch.autocast(device_type="cpu", dtype=dtype, enabled=use_amp):
                output = net(input)
                assert output.dtype is (dtype if use_amp else torch.float32)
                loss = loss_fn(output, target)
                assert loss.dtype is torch.float32
            scaler.scale(loss).backward()
            scaler.unscale_(opt)
            norm = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.5)
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
            losses.append(f"{loss.item():.3f} {norm.item():.2f} {scaler.get_scale():.0f}")
    return net, opt, scaler, losses


for use_amp, dtype in ((False, torch.bfloat16), (True, torch.bfloat16), (True, torch.float16)):
    with Casts() as casts:
        *_, losses = train(use_amp, dtype)
    print("amp" if use_amp else "default", dtype, *losses, sep="\n  ")
    print(casts.count, "casts")

# Saving and resuming: the resumed run goes on as if it had not been interrupted.
net, opt, scaler, _ = train(True, torch.float16, epochs=1)
print(scaler.state_dict())
saved = {"model": net.state_dict(), "optimizer": opt.state_dict(), "scaler": scaler.state_dict()}
*_, expected = train(True, torch.float16, 1, net, opt, scaler)
resumed = make_model()
train(True, torch.float16, epochs=1, net=resumed)
other = torch.amp.GradScaler("cpu", init_scale=2.0**20, growth_interval=4)
other.load_state_dict(saved["scaler"])
print(other.state_dict() == saved["scaler"])
*_, losses = train(True, torch.float16, 1, resumed, torch.optim.SGD(resumed.parameters(), lr=0.01), other)
print(losses == expected)

# Inference: no gradient, no scale.
with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
    print([round(one, 2) for one in net(data[0])[0].tolist()], net(data[0]).dtype)
print(net(data[0]).dtype, torch.is_autocast_enabled("cpu"))
