"""Joins the trained parts and the embeddings of the base model into the files that the package carries.

python assemble.py BASE.npz PART.npz... ../src/heldtrue_reader/

Writes `weights.npz`, which numpy reads, and `graph.onnx`, which describes the same network for onnxruntime and takes
its arrays out of `weights.npz`.
"""

from __future__ import annotations

import struct
import sys
import zipfile
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

EMBEDDINGS = {"words": "embeddings.word_embeddings.weight", "places": "embeddings.position_embeddings.weight"}
PLACES = 256
"""The longest input."""
LAYERS, WIDTH, HEADS = 12, 384, 12
LEVELS = 63
"""Weights are rounded to this many steps on either side of zero. With 127, processors without the instructions made for
it would overflow when they add up pairs of products."""
TYPES = {"int8": TensorProto.INT8, "float32": TensorProto.FLOAT}


def assemble(base: str, parts: list[str]) -> dict[str, numpy.ndarray]:
    """All arrays of the reader, by name. Matrices are (in, out), one byte a weight, with a scale for each output."""
    joined = {name: value for part in parts for name, value in numpy.load(part).items()}
    given = numpy.load(base)
    arrays: dict[str, numpy.ndarray] = {"digest": joined.pop("digest")}
    for name, original in EMBEDDINGS.items():
        arrays[f"{name}.weight"], arrays[f"{name}.scale"] = given[original], given[f"{original}::scale"]
    for ending in ("weight", "scale"):
        arrays[f"places.{ending}"] = arrays[f"places.{ending}"][:PLACES]
    for number in range(LAYERS):
        prefix = f"layers.{number}."
        three = [f"{prefix}{name}." for name in ("query", "key", "value")]
        joined[f"{prefix}seen.weight"] = numpy.concatenate([joined.pop(f"{name}weight") for name in three])
        joined[f"{prefix}seen.bias"] = numpy.concatenate([joined.pop(f"{name}bias") for name in three])
    for name, value in joined.items():
        if value.ndim == 2 and name != "parts.weight":
            scale = numpy.abs(value).max(1) / LEVELS + 1e-12
            arrays[name] = numpy.ascontiguousarray(numpy.rint(value / scale[:, None]).astype(numpy.int8).T)
            arrays[name.replace(".weight", ".scale")] = scale.astype(numpy.float32)
        else:
            arrays[name] = value.astype(numpy.float32)
    return arrays


def draw(weights: Path) -> onnx.ModelProto:
    """The network as a graph over the arrays of a file beside it: from tokens to the last hidden states."""
    stored = _locate(weights)
    arrays = numpy.load(weights)
    nodes: list[onnx.NodeProto] = []

    def add(operator: str, inputs: list[str], output: str, **options: object) -> str:
        domain = "com.microsoft" if operator in CONTRIBUTED else ""
        nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **options))
        return output

    def linear(given: str, name: str, output: str) -> str:
        inputs = [given, f"{name}.weight", f"{name}.scale", "", f"{name}.bias"]
        return add("DynamicQuantizeMatMul", inputs, output)

    def norm(given: str, beside: str, name: str, output: str) -> str:
        inputs = [given, beside, f"{name}.weight", f"{name}.bias"]
        return add("SkipLayerNormalization", inputs, output, epsilon=1e-12)

    def embed(name: str, ids: str) -> str:
        values = add("Cast", [add("Gather", [f"{name}.weight", ids], f"{name}_bytes")], f"{name}_numbers", to=1)
        return add("Mul", [values, add("Gather", [f"{name}.scale", ids], f"{name}_scales")], f"{name}_values")

    placed = add("Add", [embed("words", "ids"), embed("places", "places")], "placed")
    states = norm(placed, add("Gather", ["parts.weight", "parts"], "parts_values"), "norm", "states")
    for number in range(LAYERS):
        at = f"layers.{number}."
        seen = linear(states, f"{at}seen", f"{at}seen_values")
        three = [f"{at}queries", f"{at}keys", f"{at}values"]
        nodes.append(helper.make_node("Split", [seen], three, axis=2, num_outputs=3))
        attended = add("MultiHeadAttention", three, f"{at}attended", num_heads=HEADS)
        states = norm(states, linear(attended, f"{at}joined", f"{at}joined_values"), f"{at}norm_1", f"{at}middle")
        inner = add("Gelu", [linear(states, f"{at}inner", f"{at}inner_values")], f"{at}curved")
        states = norm(states, linear(inner, f"{at}outer", f"{at}outer_values"), f"{at}norm_2", f"{at}out")
    used = sorted({name for node in nodes for name in node.input} & stored.keys())
    graph = helper.make_graph(
        nodes,
        "reader",
        [helper.make_tensor_value_info(name, TensorProto.INT64, [1, None]) for name in ("ids", "places", "parts")],
        [helper.make_tensor_value_info(states, TensorProto.FLOAT, [1, None, WIDTH])],
        [_point(name, arrays[name], weights.name, stored[name]) for name in used],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


CONTRIBUTED = ("DynamicQuantizeMatMul", "SkipLayerNormalization", "MultiHeadAttention", "Gelu")


def _locate(weights: Path) -> dict[str, int]:
    """Where the bytes of each array begin in a file of arrays that are not compressed."""
    places = {}
    data = weights.read_bytes()
    with zipfile.ZipFile(weights) as archive:
        for entry in archive.infolist():
            name_chars, extra_chars = struct.unpack_from("<HH", data, entry.header_offset + 26)
            start = entry.header_offset + 30 + name_chars + extra_chars
            header_chars = struct.unpack_from("<H", data, start + 8)[0]
            places[entry.filename.removesuffix(".npy")] = start + 10 + header_chars
    return places


def _point(name: str, value: numpy.ndarray, file: str, offset: int) -> TensorProto:
    tensor = TensorProto(name=name, data_type=TYPES[str(value.dtype)], dims=value.shape)
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in {"location": file, "offset": str(offset), "length": str(value.nbytes)}.items():
        tensor.external_data.add(key=key, value=text)
    return tensor


if __name__ == "__main__":
    base, *parts, folder = sys.argv[1:]
    written = Path(folder, "weights.npz")
    numpy.savez(written, **assemble(base, parts))
    Path(folder, "graph.onnx").write_bytes(draw(written).SerializeToString())
    print(f"{written.stat().st_size / 1e6:.1f} MB")
