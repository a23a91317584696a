#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Translates PTX kernels to C: a function that runs one thread of one block.

    usage: ptx_to_c.py split MODULE.ptx FOLDER      one FOLDER/KEY.ptx a kernel, and on standard output a line each:
                                                    name, key, static shared memory, most threads, bytes of parameters,
                                                    "offset:size" of each parameter with commas between
           ptx_to_c.py translate KERNEL.ptx         the only kernel of a file, as C on standard output

Accesses to memory are macros of device_code.h, which can check them. What is not known is an error: nothing is skipped.
"""
import hashlib
import re
import sys

SIZE = {"8": 1, "16": 2, "32": 4, "64": 8, "pred": 1}
C_TYPES = {"u8": "uint8_t", "s8": "int8_t", "b8": "uint8_t", "u16": "uint16_t", "s16": "int16_t", "b16": "uint16_t",
           "u32": "uint32_t", "s32": "int32_t", "b32": "uint32_t", "u64": "uint64_t", "s64": "int64_t", "b64": "uint64_t",
           "f32": "float", "f64": "double", "pred": "uint8_t"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
UNORDERED = {"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="}
ROUNDINGS = {"rmi": "floor", "rpi": "ceil", "rzi": "trunc", "rni": "nearbyint"}


class Unknown(Exception):
    pass


def bits(kind):
    return int(re.sub(r"\D", "", kind)) if kind != "pred" else 8


def entries(text):
    """Name, parameters, directives, body, begin and end of each kernel."""
    at = 0
    while match := re.compile(r"(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)\s*\(").search(text, at):
        end_of_parameters = text.index(")", match.end())
        begin = text.index("{", end_of_parameters)
        depth = 0
        for brace in re.compile(r"[{}]").finditer(text, begin):
            depth += 1 if brace.group() == "{" else -1
            if depth == 0:
                at = brace.end()
                break
        yield (match.group(1), text[match.end():end_of_parameters], text[end_of_parameters + 1:begin], text[begin + 1:at - 1],
               match.start(), at)


def parameters(text):
    """Name, offset and size of each parameter, and the bytes of all."""
    found, offset = [], 0
    for parameter in filter(None, (part.strip() for part in text.replace("\n", " ").split(","))):
        match = re.match(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\s+(?:\.\w+\s+)*?(?:\.align\s+\d+\s+)?)?"
                         r"([\w$]+)(?:\[(\d+)\])?$", parameter)
        if not match:
            raise Unknown(f"parameter {parameter}")
        size = SIZE[re.sub(r"\D", "", match.group(2))]
        alignment = int(match.group(1) or size)
        size *= int(match.group(4) or 1)
        offset = -(-offset // alignment) * alignment
        found.append((match.group(3), offset, size))
        offset += size
    return found, offset


def shared_layout(text, body):
    """Offsets of the shared variables that the body names, and the bytes of the static ones; dynamic ones follow these."""
    table, offset, dynamic = {}, 0, []
    for extern, alignment, name, size in re.findall(
            r"(\.extern\s+)?\.shared\s+\.align\s+(\d+)\s+\.b8\s+([\w$]+)\[(\d*)\]", text):
        if name in table or not re.search(re.escape(name) + r"(?![\w$])", body):
            continue
        if extern or not size:
            dynamic.append(name)
            continue
        offset = -(-offset // int(alignment)) * int(alignment)
        table[name] = offset
        offset += int(size)
    for name in dynamic:
        table[name] = (offset + 15) // 16 * 16
    return table, offset


def split(path, folder):
    with open(path, encoding="ascii") as stream:
        text = stream.read()
    kernels = list(entries(text))
    common, at = [], 0
    for kernel in kernels:
        common.append(text[at:kernel[4]])
        at = kernel[5]
    common = "".join(common) + text[at:]
    for name, params, directives, body, begin, end in kernels:
        alone = common + text[begin:end] + "\n"
        key = hashlib.sha1(alone.encode()).hexdigest()
        with open(f"{folder}/{key}.ptx", "w", encoding="ascii") as stream:
            stream.write(alone)
        found, total = parameters(params)
        threads = re.search(r"\.maxntid\s+(\d+)", directives)
        layout = ",".join(f"{offset}:{size}" for _, offset, size in found)
        print(name, key, shared_layout(text, body)[1], threads.group(1) if threads else 1024, total, layout)


def operands(text):
    """The parts between commas that are in no brackets."""
    found, depth, part = [], 0, ""
    for char in text:
        depth += (char in "{[(") - (char in "}])")
        if char == "," and depth == 0:
            found.append(part.strip())
            part = ""
        else:
            part += char
    return found + [part.strip()] if part.strip() else found


class Kernel:
    """One kernel; `c` in what it writes is the context of the thread."""

    def __init__(self, text):
        found = list(entries(text))
        if len(found) != 1:
            raise Unknown(f"{len(found)} kernels")
        self.name, params, _, self.body, begin, _ = found[0]
        self.first_line = text.count("\n", 0, text.index("{", text.index(")", begin))) + 1
        self.text = text
        self.params = {name: offset for name, offset, _ in parameters(params)[0]}
        self.shared, _ = shared_layout(text, self.body)
        self.registers, self.data, self.out = {}, {}, []

    def constants(self):
        """Definitions of the module's data that the body names."""
        for match in re.finditer(r"^\s*(?:\.visible\s+|\.weak\s+)?\.(?:global|const)\s+\.align\s+(\d+)\s+\.(\w+)\s+([\w$]+)"
                                 r"(?:\[(\d+)\])?(?:\s*=\s*([^;]*))?;", self.text, re.MULTILINE):
            alignment, kind, name, count, initial = match.groups()
            if not re.search(re.escape(name) + r"(?![\w$])", self.body):
                continue
            if kind not in ("b8", "u8"):
                raise Unknown(f"data {match.group(0)[:80]}")
            self.data[name] = f"data_{len(self.data)}"
            values = re.sub(r"[{}\s]", "", initial) if initial else "0"
            yield f"static uint8_t {self.data[name]}[{count or 1}] __attribute__((aligned({alignment}))) = {{{values}}};"

    def operand(self, text):
        """Kind ("imm" of a constant) and C of an operand."""
        text = text.strip()
        if re.match(r"^0[dD][0-9a-fA-F]{16}$", text):
            return "f64", f"U2D(0x{text[2:]}ull)"
        if re.match(r"^0[fF][0-9a-fA-F]{8}$", text):
            return "f32", f"U2F(0x{text[2:]}u)"
        if re.match(r"^-?\d+$", text):
            value = int(text)
            return "imm", f"{value}ll" if -2**63 < value < 2**63 else f"(int64_t){value % 2**64}ull"
        if re.match(r"^0x[0-9a-fA-F]+$", text):
            return "imm", f"{text}ll"
        if match := re.match(r"^%(tid|ntid|ctaid|nctaid)\.([xyz])$", text):
            return "b32", f"c->{match.group(1)}[{'xyz'.index(match.group(2))}]"
        if text == "%laneid":
            return "b32", "(c->thread & 31)"
        if text.startswith("%"):
            return self.registers[text[1:]], text[1:]
        if text in self.params:
            return "b64", f"((uint64_t)(uintptr_t)(c->param + {self.params[text]}))"
        if text in self.shared:
            return "b64", f"{self.shared[text]}ull"
        if text in self.data:
            return "b64", f"((uint64_t)(uintptr_t){self.data[text]})"
        if text.startswith("__local_depot"):
            return "b64", "((uint64_t)(uintptr_t)depot)"
        raise Unknown(f"operand {text}")

    def read(self, text, kind):
        """An operand as a value of a kind."""
        found, value = self.operand(text)
        if kind == "pred":
            return value
        if kind.startswith("f"):
            if found == kind:
                return value
            if found == "b" + kind[1:]:
                return f"{'U2D' if kind == 'f64' else 'U2F'}({value})"
            raise Unknown(f"value of floating point {text} {kind}")
        if found in ("f64", "f32"):
            value = f"{'D2U' if found == 'f64' else 'F2U'}({value})"
        return f"(({C_TYPES[kind]}){value})"

    def write(self, register, value, kind):
        """Assigns a value of a kind to a register."""
        name = register.strip()[1:]
        holds = self.registers[name]
        if holds == "pred":
            return f"{name} = (uint8_t)({value});"
        if holds.startswith("f"):
            if kind.startswith("f"):
                return f"{name} = {value};"
            return f"{name} = {'U2D' if holds == 'f64' else 'U2F'}({value});"
        if kind.startswith("f"):
            return f"{name} = {'D2U' if kind == 'f64' else 'F2U'}({value});"
        if kind[0] == "s":  # extends its sign
            return f"{name} = ({C_TYPES[holds]})(int64_t)({C_TYPES[kind]})({value});"
        return f"{name} = ({C_TYPES[holds]})({C_TYPES['u' + kind[1:]]})({value});"

    def address(self, text):
        match = re.match(r"^\[\s*([%\w$.]+)\s*(?:\+\s*(-?\d+))?\s*\]$", text)
        base = self.read(match.group(1), "u64")
        return f"({base} + {match.group(2)}ll)" if match.group(2) else base

    def statement(self, text, line):
        guard = ""
        if match := re.match(r"^@(!?)%(p\d+)\s+(.*)$", text, re.DOTALL):
            guard = f"if ({match.group(1)}{match.group(2)}) "
            text = match.group(3)
        instruction, *rest = text.split(None, 1)
        parts = instruction.split(".")
        arguments = operands(rest[0]) if rest else []
        for translate in (self.control, self.memory, self.conversion, self.floating, self.integer):
            code = translate(parts, parts[-1], arguments, line)
            if code is not None:
                self.out.append(f"{guard}{{ {code} }}")
                return
        raise Unknown(f"instruction {text} (line {line})")

    def control(self, parts, kind, a, line):
        name = parts[0]
        if name == "bra":
            return f"goto {a[0].lstrip('$')};"
        if name in ("ret", "exit"):
            return "return;"
        if name == "trap":
            return f"emulated_trap(c, {line});"
        if name in ("bar", "barrier"):
            if "warp" in parts:
                return f"emulated_warp_barrier(c, {self.read(a[0], 'u32')}, {line});"
            return f"emulated_barrier(c, {line});" if a == ["0"] else None
        if name in ("membar", "fence"):
            return ";"
        if name == "activemask":
            return self.write(a[0], "0xffffffffu", "u32")
        if name == "shfl":
            mode = ("down", "up", "bfly", "idx").index(parts[2])
            target, *predicate = a[0].split("|")
            values = ", ".join(self.read(value, "u32") for value in a[1:5])
            code = f"uint8_t inside; uint32_t v = emulated_shuffle(c, {mode}, {values}, &inside, {line}); "
            code += self.write(target, "v", "u32")
            return code + " " + self.write(predicate[0], "inside", "pred") if predicate else code
        if name == "setp":
            return self.comparison(parts, kind, a)
        if name == "selp":
            return self.write(a[0], f"{self.read(a[3], 'pred')} ? {self.read(a[1], kind)} : {self.read(a[2], kind)}", kind)
        return None

    def comparison(self, parts, kind, a):
        if len(parts) != 3 and not (len(parts) == 4 and parts[2] == "ftz"):
            return None
        how, x, y = parts[1], self.read(a[1], kind), self.read(a[2], kind)
        if kind[0] != "f":
            return self.write(a[0], f"{x} {COMPARISONS[how]} {y}", "pred")
        if how == "ne":  # not of NaN
            return self.write(a[0], f"{x} < {y} || {x} > {y}", "pred")
        if how in COMPARISONS:
            return self.write(a[0], f"{x} {COMPARISONS[how]} {y}", "pred")
        unordered = f"__builtin_isunordered({x}, {y})"
        if how in ("num", "nan"):
            return self.write(a[0], ("!" if how == "num" else "") + unordered, "pred")
        return self.write(a[0], f"{unordered} || {x} {UNORDERED[how]} {y}", "pred")

    def memory(self, parts, kind, a, line):
        name = parts[0]
        if name == "cvta":
            value = self.read(a[1], "u64")
            if "shared" in parts:
                value = f"({value} {'-' if 'to' in parts else '+'} SHARED_WINDOW)"
            return self.write(a[0], value, "u64")
        if name not in ("ld", "ldu", "st", "atom", "red"):
            return None
        space = next((part for part in parts[1:] if part in ("global", "shared", "local", "param", "const")), "generic")
        count = next((int(part[1]) for part in parts if re.match(r"^v[24]$", part)), 1)
        size = bits(kind) // 8
        if name in ("ld", "ldu"):
            code = f"const uint64_t at = {self.address(a[1])}; "
            if space != "param":
                code += f"ALIGNED(at, {count * size}, {line}) "
            for i, target in enumerate(operands(a[0][1:-1]) if count > 1 else [a[0]]):
                code += self.write(target, f"LOAD_{space}({C_TYPES[kind]}, at + {i * size}, {line})", kind) + " "
            return code
        if name == "st":
            code = f"const uint64_t at = {self.address(a[0])}; ALIGNED(at, {count * size}, {line}) "
            for i, value in enumerate(operands(a[1][1:-1]) if count > 1 else [a[1]]):
                code += f"STORE_{space}({C_TYPES[kind]}, at + {i * size}, {self.read(value, kind)}, {line}) "
            return code
        what = next(part for part in parts if part in ("add", "min", "max", "exch", "cas", "or", "and"))
        if name == "red":
            a = [None] + a
        results = {"add": "old + v", "min": "v < old ? v : old", "max": "v > old ? v : old", "exch": "v", "or": "old | v",
                   "and": "old & v"}
        of = C_TYPES[kind]
        code = f"{of}* p = ({of}*)ATOM({self.address(a[1])}, {size}, {line}); const {of} old = *p; "
        if what == "cas":
            code += f"if (old == {self.read(a[2], kind)}) *p = {self.read(a[3], kind)}; "
        else:
            code += f"const {of} v = {self.read(a[2], kind)}; *p = {results[what]}; "
        return code + (self.write(a[0], "old", kind) if a[0] not in (None, "_") else "")

    def conversion(self, parts, kind, a, _):
        if parts[0] == "mov":
            if a[0].startswith("{"):
                targets = operands(a[0][1:-1])
                part = bits(kind) // len(targets)
                code = f"const uint64_t v = {self.read(a[1], f'b{bits(kind)}')}; "
                return code + " ".join(self.write(target, f"v >> {i * part}", f"b{part}")
                                       for i, target in enumerate(targets) if target != "_")
            if a[1].startswith("{"):
                values = operands(a[1][1:-1])
                part = bits(kind) // len(values)
                joined = " | ".join(f"((uint64_t){self.read(value, f'b{part}')} << {i * part})" for i, value in enumerate(values))
                return self.write(a[0], joined, f"b{bits(kind)}")
            return self.write(a[0], self.read(a[1], kind), kind)
        if parts[0] != "cvt":
            return None
        to, origin = parts[-2], parts[-1]
        value = self.read(a[1], origin)
        if origin[0] == "f" and (to[0] != "f" or to == origin):
            rounded = f"__builtin_{ROUNDINGS[parts[1]]}((double){value})"
            return self.write(a[0], rounded if to[0] == "f" else f"TO_{to}({rounded})", to)
        return self.write(a[0], f"({C_TYPES[to]}){value}", to)

    def floating(self, parts, kind, a, _):
        if kind not in ("f64", "f32"):
            return None
        suffix = "" if kind == "f64" else "f"
        if parts[0] in ("add", "sub", "mul", "div", "fma", "sqrt", "rcp") and "rn" not in parts:
            return None  # ptxas may contract or approximate these
        results = {"add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
                   "fma": f"__builtin_fma{suffix}({{0}}, {{1}}, {{2}})", "sqrt": f"__builtin_sqrt{suffix}({{0}})",
                   "rcp": "1 / {0}", "neg": "-({0})", "abs": f"__builtin_fabs{suffix}({{0}})", "max": "FMAX({0}, {1})",
                   "min": "FMIN({0}, {1})", "copysign": f"__builtin_copysign{suffix}({{1}}, {{0}})"}
        if parts[0] not in results:
            return None
        return self.write(a[0], results[parts[0]].format(*(self.read(value, kind) for value in a[1:])), kind)

    def integer(self, parts, kind, a, line):
        name = parts[0]
        if name in ("and", "or", "xor", "not") and kind == "pred":
            results = {"and": "{0} & {1}", "or": "{0} | {1}", "xor": "{0} ^ {1}", "not": "!{0}"}
            return self.write(a[0], results[name].format(*(self.read(value, "pred") for value in a[1:])), "pred")
        width = bits(kind)
        u = f"u{width}"
        if name in ("add", "sub", "and", "or", "xor"):
            sign = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}[name]
            return self.write(a[0], f"{self.read(a[1], u)} {sign} {self.read(a[2], u)}", kind)
        if name in ("not", "neg"):
            return self.write(a[0], f"{'~' if name == 'not' else '0 - '}{self.read(a[1], u)}", kind)
        if name in ("mul", "mad"):
            return self.product(parts, kind, a)
        if name in ("div", "rem"):
            return self.quotient(name, kind, a, line)
        if name == "abs":
            return self.write(a[0], f"{self.read(a[1], kind)} < 0 ? 0 - {self.read(a[1], u)} : {self.read(a[1], u)}", kind)
        if name in ("min", "max"):
            x, y = self.read(a[1], kind), self.read(a[2], kind)
            return self.write(a[0], f"{x} {'<' if name == 'min' else '>'} {y} ? {x} : {y}", kind)
        if name in ("shl", "shr"):
            count = self.read(a[2], "u32")
            x = self.read(a[1], kind if name == "shr" and kind[0] == "s" else u)
            beyond = f"({C_TYPES[kind]})({x} >> {width - 1})" if name == "shr" and kind[0] == "s" else "0"
            return self.write(a[0], f"{count} >= {width} ? {beyond} : {x} {'<<' if name == 'shl' else '>>'} {count}", kind)
        if name == "clz":
            x = self.read(a[1], u)
            return self.write(a[0], f"{x} == 0 ? {width} : __builtin_clz{'ll' if width == 64 else ''}({x})", "u32")
        if name == "popc":
            return self.write(a[0], f"__builtin_popcountll({self.read(a[1], u)})", "u32")
        if name == "bfe":
            return self.write(a[0], f"BFE_{kind}({self.read(a[1], kind)}, {self.read(a[2], 'u32')}, {self.read(a[3], 'u32')})", kind)
        return None

    def product(self, parts, kind, a):
        width = bits(kind)
        u = f"u{width}"
        addend = parts[0] == "mad"
        if "lo" in parts:
            wide = u if width > 16 else "u32"
            value = f"{self.read(a[1], wide)} * {self.read(a[2], wide)}"
            return self.write(a[0], f"{value} + {self.read(a[3], u)}" if addend else value, kind)
        if "wide" in parts:
            wide = kind[0] + str(2 * width)
            value = f"({C_TYPES[wide]}){self.read(a[1], kind)} * ({C_TYPES[wide]}){self.read(a[2], kind)}"
            if addend:
                value = f"({C_TYPES['u' + wide[1:]]})({value}) + {self.read(a[3], 'u' + wide[1:])}"
            return self.write(a[0], value, wide)
        if "hi" in parts and not addend:
            wide = C_TYPES[kind[0] + "64"] if width < 64 else "__int128" if kind[0] == "s" else "unsigned __int128"
            value = f"(({wide}){self.read(a[1], kind)} * ({wide}){self.read(a[2], kind)}) >> {width}"
            return self.write(a[0], f"({C_TYPES[kind]})({value})", kind)
        return None

    def quotient(self, name, kind, a, line):
        """By 0: what the device gives, and a message. The least number by -1 overflows on the host."""
        u, of = f"u{bits(kind)}", C_TYPES[kind]
        x, by = self.read(a[1], kind), self.read(a[2], kind)
        plain = f"{x} {'/' if name == 'div' else '%'} y"
        minus_one = plain if kind[0] == "u" else f"({of})(0 - {self.read(a[1], u)})" if name == "div" else "0"
        code = f"const {of} y = {by}; if (y == 0) emulated_zero_division(c, {line}); "
        return code + self.write(a[0], f"y == 0 ? ({of})-1 : y == ({of})-1 ? {minus_one} : {plain}", kind)

    def declared(self, text):
        """Whether a statement is a declaration, which it then records."""
        if match := re.match(r"^\.reg\s+\.(\w+)\s+(.*)$", text):
            kind = match.group(1)
            kind = "b" + kind[1:] if kind[0] in "us" and kind != "pred" else kind
            for name in (part.strip().lstrip("%") for part in match.group(2).split(",")):
                several = re.match(r"^(\w+)<(\d+)>$", name)
                for register in [several.group(1) + str(i) for i in range(int(several.group(2)))] if several else [name]:
                    if self.registers.setdefault(register, kind) != kind:  # in another scope
                        raise ValueError(f"{register} is of two kinds")
            return True
        if match := re.match(r"^\.local\s+\.align\s+(\d+)\s+\.b8\s+\S+\[(\d+)\]$", text):
            self.depot = int(match.group(2))
            return True
        return text.startswith(".shared")

    def translated(self):
        constants = list(self.constants())
        self.depot = 1
        pending, start = "", 0
        for i, raw in enumerate(self.body.split("\n")):
            text = re.sub(r"//.*", "", raw).strip()
            if text in ("", "{", "}") or (not pending and re.match(r"\.(loc|file|pragma)\b", text)):
                continue
            if not pending:
                if match := re.match(r"^(\$?[\w$]+):$", text):
                    self.out.append(f"{match.group(1).lstrip('$')}: ;")
                    continue
                start = self.first_line + i
            pending = f"{pending} {text}".strip()
            if not pending.endswith(";"):
                continue
            statement, pending = pending[:-1].strip(), ""
            if not self.declared(statement):
                self.statement(statement, start)
        code = "\n".join(self.out)
        used = set(re.findall(r"\b[a-zA-Z]+\d*\b", code))
        registers = [f"  {C_TYPES[kind]} {name} = JUNK_{kind};" for name, kind in self.registers.items() if name in used]
        return "\n".join(["#include \"device_code.h\"", *constants, f"const char kernel_name[] = \"{self.name}\";",
                          "void kernel_thread(struct ThreadContext* const c) {",
                          f"  uint8_t depot[{self.depot}] __attribute__((aligned(16)));", *registers, "  (void)depot;", code, "}"])


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "split":
        split(arguments[1], arguments[2])
    elif len(arguments) == 2 and arguments[0] == "translate":
        with open(arguments[1], encoding="ascii") as stream:
            print(Kernel(stream.read()).translated())
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Unknown as error:
        print(f"ptx_to_c.py: unknown {error}", file=sys.stderr)
        sys.exit(1)
