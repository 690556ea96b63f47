"""Finds denoise loops in Python sources. Paths come on standard input, one a line, as
JSON strings; a JSON object goes out for each: {"file", "loops": [{"line", "evidence",
"seen", "silenced"}]} or {"file", "error"}. Nothing of the sources is imported or run.

A denoise loop is a for or while loop that
  - calls a scheduler's step itself (an attribute "step…" of something whose name says
    scheduler, solver or sampler), or
  - goes over time steps or sigmas, and calls a denoiser: an attribute or name such as
    transformer, unet, prior, denoiser, or a step of a loop's parts (loop_step, …).
Of a loop over time steps and one within it, over views for instance, the outer one
is meant.
"""

import ast
import json
import re
import sys

MARKER = "reel: uninstrumented"
SCHEDULER = re.compile(r"sched|solver|sampler", re.I)
STEP = re.compile(r"^(step|step_\w+|denoise_step|scheduler_step)$")
OVER = re.compile(r"time_?step|\bsigmas?\b|num_inference_steps|num_steps|inference_steps|denois\w*_steps|t_sched|step_matrix", re.I)
DENOISER = re.compile(r"^(transformer\w*|unet\w*|prior\w*|denoiser\w*|denoise\w*|dit\w*|model|net|diffusion_model|loop_step|predict_noise\w*|noise_pred\w*|forward_dit|velocity\w*|controlnet\w*|pipe|adapter_step|step_fn|forward_\w*step)$", re.I)
SEEN = re.compile(r"denoise_steps|denoising_steps|profil\w*\.steps|visual_gen_steps|\brec\.Steps")
RANGE = re.compile(r"range|record_function|nvtx|annotate|stage|region", re.I)


def dotted(node):
    """The name of an expression: self.scheduler.step."""
    if isinstance(node, ast.Attribute):
        return dotted(node.value) + "." + node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Call):
        return dotted(node.func) + "()"
    if isinstance(node, ast.Subscript):
        return dotted(node.value) + "[]"
    return "?"


def source(node):
    """Every name and attribute of an expression, as text to match."""
    words = []
    for n in ast.walk(node):
        if isinstance(n, ast.Name):
            words.append(n.id)
        elif isinstance(n, ast.Attribute):
            words.append("." + n.attr)
    return " ".join(words)


def own(body):
    """The nodes of a loop's body, without inner loops and functions."""
    stack = list(body)
    while stack:
        n = stack.pop()
        if isinstance(n, (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        yield n
        stack.extend(ast.iter_child_nodes(n))


def whole(body):
    """The same with inner loops."""
    stack = list(body)
    while stack:
        n = stack.pop()
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        yield n
        stack.extend(ast.iter_child_nodes(n))


def step_of(nodes):
    """A scheduler's step among the calls."""
    for n in nodes:
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and STEP.match(n.func.attr):
            name = dotted(n.func)
            if SCHEDULER.search(name.rsplit(".", 1)[0]):
                return name
    return ""


def denoiser_of(nodes):
    """A call of a denoiser."""
    for n in nodes:
        if isinstance(n, ast.Call):
            name = dotted(n.func)
            last = name.replace("()", "").replace("[]", "").rsplit(".", 1)[-1]
            if DENOISER.match(last):
                return name
    return ""


def seen_by(loop, over):
    """What of the loop a profiler sees: its iterator, or a range with a step's name in its body."""
    if over is not None:
        for n in ast.walk(over):
            if isinstance(n, ast.Call) and SEEN.search(dotted(n.func)):
                return dotted(n.func)
    for n in whole(loop.body):
        if isinstance(n, (ast.With, ast.AsyncWith)):
            for item in n.items:
                c = item.context_expr
                if isinstance(c, ast.Call) and RANGE.search(dotted(c.func)):
                    text = "".join(a.value for a in ast.walk(c) if isinstance(a, ast.Constant) and isinstance(a.value, str))
                    if "step" in text.lower():
                        return dotted(c.func)
    return ""


def loops(tree, lines):
    yield from within(tree, None, lines)


def within(node, around, lines):
    """The loops below a node; around is the innermost loop over time steps that holds it."""
    for n in ast.iter_child_nodes(node):
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield from within(n, None, lines)
        elif isinstance(n, (ast.For, ast.AsyncFor, ast.While)):
            over = None if isinstance(n, ast.While) else n.iter
            text = source(n.test if over is None else over)
            evidence = evidence_of(n, text)
            inside = OVER.search(text)
            if evidence and (inside or around is None):
                yield {"line": n.lineno, "evidence": evidence, "seen": seen_by(n, over), "silenced": silenced(lines, n.lineno)}
            yield from within(n, n if inside and evidence else around, lines)
        else:
            yield from within(n, around, lines)


def evidence_of(n, text):
    """What makes a loop a denoise loop. One over time steps may step in an inner loop, over views for instance."""
    name = step_of(own(n.body)) or OVER.search(text) and step_of(whole(n.body))
    if name:
        return f"steps {name}"
    if OVER.search(text):
        name = denoiser_of(own(n.body))
        if name:
            return f"goes over {short(text)} and calls {name}"
    return ""


def short(text):
    m = OVER.search(text)
    return next((w.lstrip(".") for w in text.split() if OVER.search(w)), m.group(0))


def silenced(lines, line):
    for at in (line, line - 1):
        if 1 <= at <= len(lines):
            _, found, reason = lines[at - 1].partition("# " + MARKER)
            if found:
                return reason.strip(" :-")
    return ""


def main():
    sys.setrecursionlimit(5000)
    for line in sys.stdin:
        path = json.loads(line)
        try:
            with open(path, "rb") as f:
                data = f.read(16 << 20)
            text = data.decode("utf-8", "replace")
            out = {"file": path, "loops": list(loops(ast.parse(data, path), text.splitlines()))}
        except (SyntaxError, ValueError, OSError, RecursionError, MemoryError) as e:
            out = {"file": path, "error": f"{type(e).__name__}: {e}"}
        print(json.dumps(out), flush=True)


main()
