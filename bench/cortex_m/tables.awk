# SPDX-License-Identifier: Apache-2.0
# Two Markdown tables of what stack.c (two words a line) and count.c (six) print: one for random data, one for all kinds.

NF == 2 { stack[$1] = $2; next }
!($1 in known) { known[$1]; names[++functions] = $1 }
!($2 in kinds) { kinds[$2]; kind[++kind_count] = $2 }
{
  elements = $4
  call[$1, $2, $3, elements] = $5
  kernel[$1, $2, $3, elements] = $6
}

# Instructions an element of 1024 in a row, and of 256 x 48 in columns.
function row_of(counts, name, data) { return sprintf("%.2f", counts[name, data, "row", 1024] / 1024) }
function columns_of(counts, name, data) { return sprintf("%.2f", counts[name, data, "columns", 12288] / 12288) }

END {
  print "### " title "\n"
  print "Random data. Row and columns: instructions an element, of a row of 1024 and of 256 x 48 columns. 16 and 64: instructions for"
  print "a row of so many. Stack: bytes of the deepest call, at -Os.\n"
  print "| function | row, kernel | call | columns, kernel | call | 16, kernel | call | 64, kernel | call | stack |"
  print "|---|---|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= functions; i++) {
    name = names[i]
    print "| " name " | " row_of(kernel, name, "random") " | " row_of(call, name, "random") \
      " | " columns_of(kernel, name, "random") " | " columns_of(call, name, "random") \
      " | " kernel[name, "random", "row", 16] " | " call[name, "random", "row", 16] \
      " | " kernel[name, "random", "row", 64] " | " call[name, "random", "row", 64] " | " stack[name] " |"
  }
  print "\nKernels, instructions an element, row / columns, by kind of data.\n"
  header = "| function |"
  rule = "|---|"
  for (k = 1; k <= kind_count; k++) {
    header = header " " kind[k] " |"
    rule = rule "---|"
  }
  print header "\n" rule
  for (i = 1; i <= functions; i++) {
    line = "| " names[i] " |"
    for (k = 1; k <= kind_count; k++)
      line = line " " row_of(kernel, names[i], kind[k]) " / " columns_of(kernel, names[i], kind[k]) " |"
    print line
  }
  print ""
}
