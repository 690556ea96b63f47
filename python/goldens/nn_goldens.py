"""Writes what PyTorch computes for each operator of lantern/nn, as small golden tensors.

    python python/goldens/nn_goldens.py lantern/nn/testdata/goldens.json

Needs torch and diffusers (for the positions alone). Values are float32, computed in
float64 where that is exact to call the reference, and lie in the file as base64 of
little-endian bytes.
"""
import base64
import json
import math
import sys

import torch
import torch.nn.functional as F

torch.manual_seed(20)
torch.set_num_threads(1)
CASES = []


def pack(t):
    if t is None:
        return None
    t = t.detach().to(torch.float32).contiguous()
    return {"dims": list(t.shape), "data": base64.b64encode(t.numpy().astype("<f4").tobytes()).decode()}


def case(op, inputs, out, **attrs):
    CASES.append({"op": op, "attrs": attrs, "in": [pack(t) for t in inputs], "out": pack(out)})


def wide(*ts):
    return [None if t is None else t.double() for t in ts]


def r(*dims):
    return torch.randn(*dims)


def products():
    for m, k, n in [(1, 1, 1), (7, 13, 19), (33, 24, 37), (5, 65, 17)]:
        x, w, b = r(2, m, k), r(n, k), r(n)
        case("linear", [x, w, b], F.linear(*wide(x, w, b)))
    a, b = r(3, 9, 21), r(3, 21, 11)
    case("matmul", [a, b], a.double() @ b.double())
    b = r(21, 18)
    case("matmul", [a, b], a.double() @ b.double())
    b = r(3, 10, 21)
    case("matmul_t", [a, b], a.double() @ b.double().mT)


def attention():
    for B, H, Tq, Tk, D, bias, scale in [(2, 3, 9, 9, 8, None, 0), (1, 2, 5, 33, 16, (1, 2, 5, 33), 1.0), (2, 1, 19, 70, 6, (2, 1, 1, 70), 0.25), (1, 1, 20, 20, 24, (20, 20), 0)]:
        q, k, v = r(B, Tq, H, D), r(B, Tk, H, D), r(B, Tk, H, D)
        m = None
        if bias:
            m = r(*bias)
            m[..., -3:] = float("-inf")
        x, y, z = [t.double().transpose(1, 2) for t in (q, k, v)]
        out = F.scaled_dot_product_attention(x, y, z, attn_mask=None if m is None else m.double(), scale=scale or None)
        case("attention", [q, k, v, m], out.transpose(1, 2), scale=scale)


def convolutions():
    for C, O, K, stride, pad, size in [
        (3, 5, (3, 3), (1, 1), ((1, 1), (1, 1)), (9, 11)),
        (4, 7, (1, 1), (1, 1), ((0, 0), (0, 0)), (6, 5)),
        (5, 6, (3, 3), (2, 2), ((0, 1), (0, 1)), (8, 10)),
        (2, 18, (5, 3), (1, 2), ((2, 1), (0, 2)), (7, 19)),
    ]:
        x, w, b = r(2, C, *size), r(O, C, *K), r(O)
        xp = F.pad(x.double(), (*pad[1], *pad[0]))
        case("conv2d", [x, w, b], F.conv2d(xp, w.double(), b.double(), stride=stride), stride=[1, *stride], pad=[[0, 0], *map(list, pad)])
    for C, O, K, stride, pad, size in [
        (3, 4, (3, 3, 3), (1, 1, 1), ((2, 0), (1, 1), (1, 1)), (3, 5, 6)),
        (4, 5, (3, 1, 1), (2, 1, 1), ((0, 0), (0, 0), (0, 0)), (5, 4, 4)),
        (2, 9, (1, 2, 2), (1, 2, 2), ((0, 0), (0, 0), (0, 0)), (2, 6, 8)),
        (2, 3, (2, 3, 3), (1, 1, 1), ((1, 1), (1, 0), (0, 2)), (3, 4, 5)),
    ]:
        x, w, b = r(1, C, *size), r(O, C, *K), r(O)
        xp = F.pad(x.double(), (*pad[2], *pad[1], *pad[0]))
        case("conv3d", [x, w, b], F.conv3d(xp, w.double(), b.double(), stride=stride), stride=list(stride), pad=list(map(list, pad)))


def norms():
    x, w, b = r(3, 5, 40), r(40), r(40)
    case("layer_norm", [x, w, b], F.layer_norm(x.double(), (40,), w.double(), b.double(), 1e-6), eps=1e-6)
    case("layer_norm", [x, None, None], F.layer_norm(x.double(), (40,), eps=1e-5), eps=1e-5)
    case("rms_norm", [x, w], F.rms_norm(x.double(), (40,), w.double(), 1e-6), eps=1e-6)
    x, w, b = r(2, 6, 3, 4, 5), r(6), r(6)
    gamma = w.double().view(1, 6, 1, 1, 1)
    case("channel_rms_norm", [x, w, None], F.normalize(x.double(), dim=1) * math.sqrt(6) * gamma)
    case("channel_rms_norm", [x, w, b], F.normalize(x.double(), dim=1) * math.sqrt(6) * gamma + b.double().view(1, 6, 1, 1, 1))
    case("group_norm", [x, w, b], F.group_norm(x.double(), 3, w.double(), b.double(), 1e-5), groups=3, eps=1e-5)


def activations():
    x = torch.cat([r(61) * 3, torch.tensor([0.0, -0.0, 1e-20, -1e-20, 30.0, -30.0, 90.0, -90.0, 88.0, -87.0])])
    d = x.double()
    case("silu", [x], F.silu(d))
    case("gelu", [x], F.gelu(d, approximate="tanh"))
    case("gelu_exact", [x], F.gelu(d))
    case("relu", [x], F.relu(d))
    x = r(4, 5, 27) * 4
    case("softmax", [x], F.softmax(x.double(), -1))


def elementwise():
    x, y, row, mid, one = r(2, 5, 12), r(2, 5, 12), r(12), r(2, 1, 12), r(1)
    for b in (y, row, mid, one, r(2, 5, 1)):
        case("add", [x, b], x.double() + b.double())
    case("sub", [row, x], row.double() - x.double())
    case("mul", [x, mid], x.double() * mid.double())
    case("add_scaled", [x, y], x.double() + 2.5 * y.double(), scale=2.5)
    case("affine", [x], x.double() * 0.3 - 1.25, scale=0.3, shift=-1.25)
    case("clamp", [x], x.double().clamp(-0.5, 0.75), lo=-0.5, hi=0.75)
    case("modulate", [x, mid, r(2, 1, 12)], None)
    c = CASES[-1]
    shift = unpack(c["in"][2])
    c["out"] = pack(x.double() * (1 + mid.double()) + shift.double())
    case("gate", [x, y, mid], x.double() + y.double() * mid.double())


def unpack(p):
    import numpy

    return torch.from_numpy(numpy.frombuffer(base64.b64decode(p["data"]), "<f4").copy()).view(p["dims"])


def layouts():
    x = r(2, 3, 4, 5)
    for order in ((0, 2, 1, 3), (3, 2, 1, 0), (0, 1, 3, 2), (0, 1, 2, 3), (2, 0, 3, 1)):
        case("permute", [x], x.permute(order), order=list(order))
    case("slice", [x], x[:, :, 1:3], dim=2, **{"from": 1, "to": 3})
    case("concat", [x, r(2, 1, 4, 5)], None, dim=1)
    CASES[-1]["out"] = pack(torch.cat([x, unpack(CASES[-1]["in"][1])], 1))
    case("pad", [x], F.pad(x, (1, 2, 0, 1, 2, 0)), pad=[[2, 0], [0, 1], [1, 2]])
    case("upsample", [x], F.interpolate(x, scale_factor=2.0, mode="nearest-exact"), times=2)


def positions():
    from diffusers.models.embeddings import Timesteps
    from diffusers.models.transformers.transformer_wan import WanRotaryPosEmbed

    w = r(6, 3, 1, 2, 2)
    x = r(2, 3, 2, 4, 6)
    y = F.conv3d(x.double(), w.double(), stride=(1, 2, 2)).flatten(2).transpose(1, 2)
    case("patch_embed", [x, w], y)
    tok = r(1, 2 * 2 * 3, 2 * 2 * 2 * 3)
    v = tok.reshape(1, 2, 2, 3, 2, 2, 2, 3).permute(0, 7, 1, 4, 2, 5, 3, 6)
    case("unpatchify", [tok], v.flatten(6, 7).flatten(4, 5).flatten(2, 3), grid=[2, 2, 3], patch=[2, 2, 2])
    for dim in (16, 24, 28):
        rope = WanRotaryPosEmbed(dim, (1, 1, 1), 64)
        cos, sin = rope(torch.zeros(1, 4, 5, 3, 4))
        cos, sin = cos[:, 2 * 12:], sin[:, 2 * 12:]  # the last three frames of five
        x = r(1, 36, 1, dim)
        x1, x2 = x.unflatten(-1, (-1, 2)).unbind(-1)
        out = torch.empty_like(x)
        out[..., 0::2] = x1 * cos[..., 0::2] - x2 * sin[..., 1::2]
        out[..., 1::2] = x1 * sin[..., 1::2] + x2 * cos[..., 0::2]
        case("rope", [x], out, first=2, grid=[3, 3, 4])
    t = torch.tensor([0.0, 1.0, 500.0, 999.0, 333.25])
    for dim in (32, 256):
        case("time", [t], Timesteps(dim, flip_sin_to_cos=True, downscale_freq_shift=0)(t))
    ids = torch.tensor([3, 0, 6, 3])
    table = r(7, 5)
    case("embedding", [table], F.embedding(ids.view(2, 2), table), ids=ids.tolist(), dims=[2, 2])


def casts():
    x = torch.cat([r(30), torch.tensor([0.0, -0.0, 6e-8, -3e-6, 65504.0, float("inf"), float("-inf")])])
    for name, t in (("F16", torch.float16), ("BF16", torch.bfloat16)):
        y = x.to(t)
        raw = base64.b64encode(y.view(torch.int16).numpy().astype("<i2").tobytes()).decode()
        CASES.append({"op": "from_" + name, "attrs": {"raw": raw}, "in": [], "out": pack(y)})


if __name__ == "__main__":
    for part in (products, attention, convolutions, norms, activations, elementwise, layouts, positions, casts):
        part()
    with open(sys.argv[1], "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in CASES) + "\n]\n")
    print(len(CASES), "cases")
