# SPDX-License-Identifier: Apache-2.0
"""fr_dump.py RANK: a dump of a Flight Recorder on standard input, as the rows
of helpers/recorders/fr_read.h. The job's own Python runs this with -I -S; the
launcher believes nothing of what it prints.

What stands in a dump: torch/csrc/distributed/c10d/FlightRecorder*.hpp, and
TraceUtils.h of torch_npu, which writes the same.
"""
import io
import pickle
import sys

GROUPS = 64  # of a dump; more aren't told
ENTRIES = 20000  # of a dump; the newest
WAITING = 4  # operations that haven't ended, told of a group
TEXT = 255
# Frames of PyTorch and its relatives; the program's own may be in a package
TORCHS = ("/torch/", "/torch_npu/", "/torchcomms/", "/deepspeed/",
          "/accelerate/", "<frozen", "<eval_with_key>", "<string>")


# Opcodes of numbers, texts, lists and dicts, as PyTorch writes them
PLAIN = (pickle.PROTO, pickle.STOP, pickle.MARK, pickle.NONE, pickle.NEWTRUE,
         pickle.NEWFALSE, pickle.BININT, pickle.BININT1, pickle.BININT2,
         pickle.LONG1, pickle.BINFLOAT, pickle.BINUNICODE, pickle.EMPTY_LIST,
         pickle.APPEND, pickle.APPENDS, pickle.EMPTY_TUPLE, pickle.TUPLE,
         pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3, pickle.EMPTY_DICT,
         pickle.SETITEM, pickle.SETITEMS, pickle.BINPUT, pickle.LONG_BINPUT,
         pickle.BINGET, pickle.LONG_BINGET)


class PlainData(pickle._Unpickler):
    """pickle's own in Python, which no bytes can harm as they can C: it has no
    opcode that makes an object or calls something, and finds no class."""

    dispatch = {op[0]: pickle._Unpickler.dispatch[op[0]] for op in PLAIN}

    def find_class(self, module, name):
        raise pickle.UnpicklingError("it isn't plain data")

    def load(self):
        try:
            return super().load()
        except KeyError:
            raise pickle.UnpicklingError("it isn't plain data") from None


def text(value):
    cut = value[:TEXT] if isinstance(value, str) else ""
    return "".join(c if c.isprintable() else "?" for c in cut)


def number(value):
    fits = isinstance(value, int) and -2**63 <= value < 2**63
    return int(value) if fits else 0


def get(value, key):
    return value.get(key) if isinstance(value, dict) else None


def items(value):
    return value if isinstance(value, (list, tuple)) else []


def row(*fields):
    line = "\t".join(map(str, fields)) + "\n"
    sys.stdout.buffer.write(line.encode("utf-8", "replace"))


def has_ended(entry):
    """NCCL's and HCCL's entries are completed when an event says so; what is
    only retired there has timed out. Gloo has no events, and retires what is
    done."""
    gloo = text(get(entry, "profiling_name")).startswith("gloo:")
    return get(entry, "state") == "completed" or (
        gloo and bool(number(get(entry, "retired"))))


def number_of(entry):
    p2p = number(get(entry, "is_p2p"))
    return number(get(entry, "p2p_seq_id" if p2p else "collective_seq_id"))


class Group:
    def __init__(self, name, desc):
        self.name, self.desc = name, desc
        self.done = self.entered = 0
        self.last, self.waiting = None, []

    def note(self, entry):
        ended, n = has_ended(entry), number_of(entry)
        if not ended and len(self.waiting) < WAITING:
            self.waiting.append(entry)
        if number(get(entry, "is_p2p")):
            return
        if ended and n > self.done:
            self.done = n
        if n >= self.entered:
            self.entered, self.last = n, entry

    def tell(self, rank, config):
        ranks = get(get(config, self.name), "ranks")
        if not isinstance(ranks, str) or len(ranks) > TEXT:
            ranks = ""  # a list of all ranks may be long
        row("group", rank, text(self.name), text(self.desc), text(ranks),
            self.done, self.entered)
        for entry in self.waiting:
            self.tell_op(rank, entry)
        if self.last and not any(e is self.last for e in self.waiting):
            self.tell_op(rank, self.last)

    def tell_op(self, rank, entry):
        state = "done" if has_ended(entry) else (
            "started" if get(entry, "state") == "started" else "scheduled")
        sizes = " ".join("[" + ", ".join(str(number(n)) for n in items(d)) + "]"
                         for d in items(get(entry, "input_sizes"))[:TEXT])
        frames = items(get(entry, "frames"))[:128]
        own = [f for f in frames if text(get(f, "filename")) and not any(
            part in text(get(f, "filename")) for part in TORCHS)]
        frame = (own + list(frames) + [None])[0]
        # "nccl:all_reduce" without the library; "nccl:send 0->1" as it is
        name = text(get(entry, "profiling_name"))
        row("op", rank, text(self.name),
            "p2p" if number(get(entry, "is_p2p")) else "collective",
            number_of(entry), name[name.find(":") + 1:], sizes[:TEXT], state,
            text(get(frame, "name")), text(get(frame, "filename")),
            number(get(frame, "line")))


def tell(rank, dump):
    if get(dump, "version") is None:
        raise ValueError("it is no dump of a Flight Recorder")
    entries = items(get(dump, "entries"))
    newest = entries[-ENTRIES:]
    lost = number(get(newest[0], "record_id")) if newest else 0
    row("dump", rank, len(entries), lost)
    groups = {}
    for entry in newest:
        name, desc = (list(items(get(entry, "process_group"))) + [0, 0])[:2]
        if isinstance(name, str) and (name in groups or len(groups) < GROUPS):
            groups.setdefault(name, Group(name, desc)).note(entry)
    for group in groups.values():
        group.tell(rank, get(dump, "pg_config"))


if __name__ == "__main__":
    try:
        tell(sys.argv[1], PlainData(io.BytesIO(sys.stdin.buffer.read())).load())
    except Exception as why:  # whatever the dump makes of it
        row("refused", text(str(why)) or type(why).__name__)
