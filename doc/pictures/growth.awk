# SPDX-License-Identifier: Apache-2.0
# growth.awk: exchange.rows as a picture, two fields with both axes
# logarithmic. For doc/pictures/draw.
function at_x(members) {
	return left + width * log(members / 100) / log(100)
}
function at_y(figure, kind) {
	return top[kind] + height * (1 - log(figure / low[kind]) / log(high[kind] / low[kind]))
}
function text(x, y, class, words) {
	printf "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, words
}
function line(x1, y1, x2, y2, class) {
	printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class
}
function field(kind, name,  y, n) {
	text(left, top[kind] - 12, "t2 b", name)
	for (y = low[kind]; y <= high[kind] * 1.01; y *= 10) {
		line(left, at_y(y, kind), left + width, at_y(y, kind), "thin")
		text(left - 8, at_y(y, kind) + 4, "t3 dim end", sprintf("%g", y))
	}
	for (n = 1; n <= nticks; n++) {
		line(at_x(tick[n]), top[kind], at_x(tick[n]), top[kind] + height, "thin")
		text(at_x(tick[n]), top[kind] + height + 16, "t3 dim mid", tick[n])
	}
}
BEGIN {
	left = 70; width = 520; height = 190
	top["cpu"] = 96; low["cpu"] = 0.001; high["cpu"] = 100
	top["sent"] = 352; low["sent"] = 0.1; high["sent"] = 100000
	nticks = split("100 200 500 1000 2000 5000 10000", tick, " ")
	class["before"] = "p3"; class["now"] = "p4"
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"588\" viewBox=\"0 0 640 588\" role=\"img\">"
	print "<title>What task 0's launcher spends on the exchange</title>"
	print "<desc>processor time and bytes by the number of launchers, before and now</desc>"
	print "<style>"
	print "text{font-family:system-ui,\"Segoe UI\",Roboto,\"Helvetica Neue\",\"DejaVu Sans\",sans-serif;fill:#1f2328}"
	print ".t1{font-size:20px;font-weight:600}.t2{font-size:13px}.t3{font-size:11px}.mid{text-anchor:middle}.end{text-anchor:end}.b{font-weight:600}"
	print ".dim{fill:#59636e}.ground{fill:#fff}.thin{stroke:#dde2e7}.p3{fill:#4d9fd0;stroke:#4d9fd0}.p4{fill:#2e9b73;stroke:#2e9b73}.open{fill:none}"
	print "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9aa4ae}.ground{fill:#0d1117}.thin{stroke:#262c34}}"
	print "</style>"
	print "<rect x=\"0.0\" y=\"0.0\" width=\"640.0\" height=\"588.0\" class=\"ground\"/>"
	text(24, 36, "t1", "What task 0's launcher spends on the exchange")
	text(24, 58, "t2 dim", "8 rows from each launcher; filled: measured, open: computed")
	field("cpu", "seconds of processor time")
	field("sent", "MB sent")
	text(left + width / 2, 580, "t3 dim mid", "launchers of the step")
}
/^#/ { next }
{
	key = $1 " " $2
	x = at_x($3); y = at_y($4, $1)
	if (key in last_x)
		line(last_x[key], last_y[key], x, y, class[$2])
	else
		text(x + 10, y + ($2 == "now" ? 16 : -8), "t3", $2)
	printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.0\" class=\"%s%s\"/>\n", x, y, class[$2], $5 == "~" ? " open" : ""
	last_x[key] = x; last_y[key] = y
}
END { print "</svg>" }
