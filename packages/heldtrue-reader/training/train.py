"""Trains the reader on a GPU: one encoder with a head for units and statements and a head for pairs.

    python train.py EXAMPLES.npz BASE.npz OUT_FOLDER [--seeds 3] [--epochs 4]

Some teachers are trained first, each from another seed; the student then learns their averaged answers beside the
labels. What is written: `scores.npz` (the student's answers to the examples kept for choosing thresholds), and the
weights in parts of one byte a weight, without the embeddings, which are not trained.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LAYERS, WIDTH, HEADS, INNER = 12, 384, 12, 1536
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "joined": "attention.output.dense",
    "norm_1": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "norm_2": "output.LayerNorm",
}


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for name in ("query", "key", "value", "joined"):
            setattr(self, name, nn.Linear(WIDTH, WIDTH))
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x, mask):
        rows, length, _ = x.shape

        def apart(y):
            return y.view(rows, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        drop = 0.1 if self.training else 0.0
        seen = F.scaled_dot_product_attention(
            apart(self.query(x)), apart(self.key(x)), apart(self.value(x)), attn_mask=mask, dropout_p=drop
        )
        seen = self.joined(seen.transpose(1, 2).reshape(rows, length, WIDTH))
        x = self.norm_1(x + F.dropout(seen, 0.1, self.training))
        return self.norm_2(x + F.dropout(self.outer(F.gelu(self.inner(x))), 0.1, self.training))


class Reader(nn.Module):
    def __init__(self, base: dict[str, numpy.ndarray]) -> None:
        super().__init__()

        def weight(name):
            value = base[name].astype(numpy.float32)
            return torch.tensor(value * base[name + "::scale"] if name + "::scale" in base else value)

        self.words = nn.Embedding.from_pretrained(weight("embeddings.word_embeddings.weight"), freeze=True)
        self.places = nn.Embedding.from_pretrained(weight("embeddings.position_embeddings.weight"), freeze=True)
        self.parts = nn.Embedding.from_pretrained(weight("embeddings.token_type_embeddings.weight"), freeze=False)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.norm.weight.data = weight("embeddings.LayerNorm.weight")
        self.norm.bias.data = weight("embeddings.LayerNorm.bias")
        self.layers = nn.ModuleList()
        for number in range(LAYERS):
            layer = Layer()
            for name, given in PARTS.items():
                getattr(layer, name).weight.data = weight(f"encoder.layer.{number}.{given}.weight")
                getattr(layer, name).bias.data = weight(f"encoder.layer.{number}.{given}.bias")
            self.layers.append(layer)
        self.unit_head = _head(3 * WIDTH, 17)
        self.pair_head = _head(4 * WIDTH, 3)

    def forward(self, ids, types, mask, unit, is_pair):
        x = self.norm(
            self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))[None] + self.parts(types)
        )
        x = F.dropout(x, 0.1, self.training)
        attention = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, attention)
        first, second = _mean(x, mask * (types == 0)), _mean(x, mask * (types == 1))
        if is_pair:
            return self.pair_head(torch.cat([x[:, 0], first, second, (first - second).abs()], 1))
        return self.unit_head(torch.cat([_mean(x, unit), second, x[:, 0]], 1))


def _head(given: int, answers: int) -> nn.Module:
    return nn.Sequential(
        nn.Dropout(0.1), nn.Linear(given, WIDTH), nn.GELU(), nn.Dropout(0.1), nn.Linear(WIDTH, answers)
    )


def _mean(x, mask):
    return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


class Examples:
    def __init__(self, path: str) -> None:
        read = numpy.load(path)
        self.task, self.dev, self.sorts = read["task"], read["dev"], read["sorts"]
        self.answers = torch.tensor(read["answers"].astype(numpy.float32))
        self.weights = torch.tensor(read["weights"].astype(numpy.float32))
        self.spans = read["spans"]
        ends = numpy.cumsum(read["lengths"])
        self.tokens = numpy.split(read["tokens"].astype(numpy.int64), ends[:-1])
        self.digest = str(read["digest"])

    def batch(self, chosen):
        length = max(len(self.tokens[n]) for n in chosen)
        ids = numpy.zeros((len(chosen), length), numpy.int64)
        mask, unit = numpy.zeros((2, len(chosen), length), numpy.float32)
        types = numpy.zeros_like(ids)
        for row, n in enumerate(chosen):
            tokens, (first, start, end) = self.tokens[n], self.spans[n]
            ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
            types[row, first : len(tokens)], unit[row, start:end] = 1, 1
        return [torch.tensor(array).to(DEVICE) for array in (ids, types, mask, unit)]


def loss_of(task: int, logits, answers, weights):
    if task == 0:
        return (-(answers[:, :3] * 0.97 + 0.01) * F.log_softmax(logits, 1)).sum(1).mean()
    if task == 1:
        each = F.binary_cross_entropy_with_logits(logits[:, :12], answers[:, :12] * 0.98 + 0.01, reduction="none")
        return (each.mean(1) * weights).mean()
    return (-(answers[:, :5] * 0.97 + 0.006) * F.log_softmax(logits[:, 12:], 1)).sum(1).mean() * 0.5


def train(examples: Examples, base, seed: int, epochs: int, answers, *, everything: bool = False) -> Reader:
    torch.manual_seed(seed)
    chance = random.Random(seed)
    net = Reader(base).to(DEVICE)
    by_task = [
        [n for n in range(len(examples.task)) if examples.task[n] == task and (everything or not examples.dev[n])]
        for task in range(3)
    ]
    size = 48
    steps = epochs * sum(-(-len(chosen) // size) for chosen in by_task)
    heads = [p for name, p in net.named_parameters() if "head" in name]
    body = [p for name, p in net.named_parameters() if "head" not in name and p.requires_grad]
    optimizer = torch.optim.AdamW([{"params": body, "lr": 1e-4}, {"params": heads, "lr": 6e-4}], weight_decay=0.01)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (0.08 * steps + 1)) * max(0.02, 1 - step / steps)
    )
    net.train()
    began = time.time()
    for epoch in range(epochs):
        batches = []
        for task, chosen in enumerate(by_task):
            order = chance.sample(chosen, len(chosen))
            for at in range(0, len(order), size * 20):
                chunk = sorted(order[at : at + size * 20], key=lambda n: len(examples.tokens[n]))
                batches += [(task, chunk[i : i + size]) for i in range(0, len(chunk), size)]
        chance.shuffle(batches)
        total = 0.0
        for task, chosen in batches:
            with torch.autocast(DEVICE, dtype=torch.bfloat16):
                logits = net(*examples.batch(chosen), task == 0)
            loss = loss_of(task, logits.float(), answers[chosen].to(DEVICE), examples.weights[chosen].to(DEVICE))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            rate.step()
            total += float(loss.detach())
        print(
            f"seed {seed} epoch {epoch + 1}: loss {total / len(batches):.4f}, {time.time() - began:.0f} s", flush=True
        )
    return net


def answer(net: Reader, examples: Examples, chosen) -> numpy.ndarray:
    net.eval()
    said = numpy.zeros((len(examples.task), 17), numpy.float32)
    with torch.no_grad(), torch.autocast(DEVICE, dtype=torch.bfloat16):
        for task in range(3):
            mine = sorted((n for n in chosen if examples.task[n] == task), key=lambda n: len(examples.tokens[n]))
            for at in range(0, len(mine), 256):
                rows = mine[at : at + 256]
                logits = net(*examples.batch(rows), task == 0).float()
                if task == 0:
                    said[rows, :3] = torch.softmax(logits, 1).cpu().numpy()
                elif task == 1:
                    said[rows, :12] = torch.sigmoid(logits[:, :12]).cpu().numpy()
                else:
                    said[rows, :5] = torch.softmax(logits[:, 12:], 1).cpu().numpy()
    return said


def report(name: str, examples: Examples, said: numpy.ndarray) -> None:
    truth = examples.answers.numpy()
    for sort in sorted(set(examples.sorts[examples.dev & (examples.task == 0)])):
        mine = examples.dev & (examples.sorts == sort)
        right = (said[mine, :3].argmax(1) == truth[mine, :3].argmax(1)).mean()
        print(f"  {name} {sort}: {right:.3f} of {mine.sum()}")
    mine = examples.dev & (examples.task == 1)
    for limit in (0.5, 0.7, 0.85):
        kept, worth = said[mine, 11] >= limit, truth[mine, 11] > 0.5
        right = (worth & kept).sum()
        precision, recall = right / max(1, kept.sum()), right / max(1, worth.sum())
        print(f"  {name} keep at {limit}: precision {precision:.3f}, recall {recall:.3f}")
    mine = examples.dev & (examples.task == 2)
    print(
        f"  {name} statements: {(said[mine, :5].argmax(1) == truth[mine, :5].argmax(1)).mean():.3f} of {mine.sum()}",
        flush=True,
    )


def write(net: Reader, out: Path, digest: str) -> None:
    packed: dict[str, numpy.ndarray] = {}
    for name, tensor in net.state_dict().items():
        if name.startswith(("words.", "places.")):
            continue
        value = tensor.float().cpu().numpy()
        if value.ndim == 2 and value.shape[0] > 32:
            scale = numpy.abs(value).max(1, keepdims=True) / 127 + 1e-12
            packed[name], packed[name + "::scale"] = (
                numpy.rint(value / scale).astype(numpy.int8),
                scale.astype(numpy.float32),
            )
        else:
            packed[name] = value
    packed["digest"] = numpy.array(digest)
    names = list(packed)
    for part in range(2):
        numpy.savez_compressed(out / f"part_{part}.npz", **{name: packed[name] for name in names[part::2]})


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("examples")
    options.add_argument("base")
    options.add_argument("out", type=Path)
    options.add_argument("--seeds", type=int, default=2)
    options.add_argument("--epochs", type=int, default=4)
    given = options.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    examples, base = Examples(given.examples), dict(numpy.load(given.base))
    everyone = list(range(len(examples.task)))
    taught = []
    for seed in range(given.seeds):
        teacher = train(examples, base, seed, given.epochs, examples.answers)
        taught.append(answer(teacher, examples, everyone))
        report(f"teacher {seed}", examples, taught[-1])
        del teacher
    answers = examples.answers
    if taught:
        mean = torch.tensor(numpy.mean(taught, axis=0))
        answers = 0.5 * examples.answers + 0.5 * mean
        report("mean", examples, mean.numpy())
    student = train(examples, base, 100, given.epochs, answers)
    said = answer(student, examples, everyone)
    report("student", examples, said)
    write(student, given.out, examples.digest)
    numpy.savez_compressed(
        given.out / "scores.npz", said=said.astype(numpy.float16)[examples.dev], index=numpy.flatnonzero(examples.dev)
    )


if __name__ == "__main__":
    sys.exit(main())
