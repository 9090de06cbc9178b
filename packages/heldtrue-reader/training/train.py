"""Trains the reader on a GPU: one encoder with a head for units and statements and a head for pairs.

    python train.py EXAMPLES.npz BASE.npz OUT_FOLDER [--teachers 3] [--epochs 6] [--seconds 400]

Some teachers are trained first, side by side, each from another seed; the student then learns their averaged answers
beside the labels. What is written: `scores.npz` (the student's answers to the examples kept for choosing thresholds),
and the weights in parts, as numbers of two bytes, without the embeddings, which are not trained.
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
SIZE, RATE = 64, 1.2e-4
"""Examples in a batch, and the highest rate of learning."""
TASK_SHARES = (0.4, 1.0, 2.0)
"""How much of the pairs, units and statements an epoch takes: there are many more pairs, and they are alike."""
PARTS_WRITTEN = 4
"""Files that the weights are divided among, for transport."""
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


def train(examples: Examples, base, seed: int, epochs: int, answers, seconds: float) -> Reader:
    """Train for some epochs, or for fewer steps where the time would not do."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    net = Reader(base).to(DEVICE)
    by_task = [
        [n for n in range(len(examples.task)) if examples.task[n] == task and not examples.dev[n]] for task in range(3)
    ]
    batches = [batch for _ in range(epochs) for batch in _batches(examples, by_task, chance)]
    steps = len(batches)
    heads = [p for name, p in net.named_parameters() if "head" in name]
    body = [p for name, p in net.named_parameters() if "head" not in name and p.requires_grad]
    groups = [{"params": body, "lr": RATE}, {"params": heads, "lr": 5 * RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=DEVICE == "cuda")
    net.train()
    began = warm = time.time()
    total = torch.zeros((), device=DEVICE)
    done = 0
    while done < steps:
        task, chosen = batches[done]
        share = min(1.0, (done + 1) / (0.06 * steps + 1)) * max(0.02, 1 - done / steps)
        for group, rate in zip(optimizer.param_groups, (RATE, 5 * RATE), strict=True):
            group["lr"] = share * rate
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            logits = net(*examples.batch(chosen), task == 0)
        loss = loss_of(task, logits.float(), answers[chosen].to(DEVICE), examples.weights[chosen].to(DEVICE))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        total += loss.detach()
        done += 1
        if done == 100:
            warm = time.time()
        if done % 200 == 0:
            now = time.time()
            left = int((seconds - (now - began)) * (done - 100) / (now - warm))
            steps = min(steps, done + max(1, left))
            print(f"seed {seed}: {done} of {steps}, loss {float(total) / 200:.4f}, {now - began:.0f} s", flush=True)
            total.zero_()
    return net


def _batches(examples: Examples, by_task: list[list[int]], chance: random.Random) -> list[tuple[int, list[int]]]:
    """The batches of one epoch: of examples of one task, about equally long."""
    batches = []
    for task, chosen in enumerate(by_task):
        times, rest = divmod(TASK_SHARES[task], 1)
        order = [n for _ in range(int(times)) for n in chance.sample(chosen, len(chosen))]
        order += chance.sample(chosen, int(rest * len(chosen)))
        for at in range(0, len(order), SIZE * 20):
            chunk = sorted(order[at : at + SIZE * 20], key=lambda n: len(examples.tokens[n]))
            batches += [(task, chunk[i : i + SIZE]) for i in range(0, len(chunk), SIZE)]
    chance.shuffle(batches)
    return batches


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
    kept = {
        name: tensor.half().cpu().numpy()
        for name, tensor in net.state_dict().items()
        if not name.startswith(("words.", "places."))
    }
    kept["digest"] = numpy.array(digest)
    names = sorted(kept, key=lambda name: -kept[name].nbytes)
    for part in range(PARTS_WRITTEN):
        numpy.savez(out / f"part_{part}.npz", **{name: kept[name] for name in names[part::PARTS_WRITTEN]})


def teach(seed: int, given: argparse.Namespace) -> None:
    """Train a teacher and leave its answers to all examples."""
    examples, base = Examples(given.examples), dict(numpy.load(given.base))
    teacher = train(examples, base, seed, given.epochs, examples.answers, given.seconds / 2)
    said = answer(teacher, examples, list(range(len(examples.task))))
    report(f"teacher {seed}", examples, said)
    numpy.save(given.out / f"taught_{seed}.npy", said.astype(numpy.float16))


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("examples")
    options.add_argument("base")
    options.add_argument("out", type=Path)
    options.add_argument("--teachers", type=int, default=3)
    options.add_argument("--epochs", type=int, default=6)
    options.add_argument("--seconds", type=float, default=1200, help="for the teachers and the student together")
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.set_num_threads(2)
    start = torch.multiprocessing.get_context("spawn")
    teachers = [start.Process(target=teach, args=(seed, given)) for seed in range(given.teachers)]
    for teacher in teachers:
        teacher.start()
    for teacher in teachers:
        teacher.join()
    examples, base = Examples(given.examples), dict(numpy.load(given.base))
    answers = examples.answers
    taught = [numpy.load(path).astype(numpy.float32) for path in sorted(given.out.glob("taught_*.npy"))]
    for path in given.out.glob("taught_*.npy"):
        path.unlink()
    if taught:
        mean = torch.tensor(numpy.mean(taught, axis=0))
        answers = 0.5 * examples.answers + 0.5 * mean
        report("mean", examples, mean.numpy())
    student = train(examples, base, 100, given.epochs, answers, given.seconds / 2)
    write(student, given.out, examples.digest)
    said = answer(student, examples, numpy.flatnonzero(examples.dev).tolist())
    report("student", examples, said)
    numpy.savez_compressed(
        given.out / "scores.npz", said=said.astype(numpy.float16)[examples.dev], index=numpy.flatnonzero(examples.dev)
    )


if __name__ == "__main__":
    sys.exit(main())
