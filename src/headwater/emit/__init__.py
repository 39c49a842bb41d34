"""Shared writers for C-like languages: structured IR to statements, with a table of rows a language."""

from headwater.emit.names import Names as Names
from headwater.emit.rows import Helper as Helper
from headwater.emit.rows import Row as Row
from headwater.emit.rows import Table as Table
from headwater.emit.target import Operand as Operand
from headwater.emit.target import Target as Target
from headwater.emit.writer import Body as Body
from headwater.emit.writer import write_body as write_body
