# SPDX-License-Identifier: Apache-2.0
# awk -f symbols.awk SOURCES NM: from `nm -A -P` of the objects of SOURCES, one
# .c file a line, each once:
#	SOURCE has SYMBOL
#	SOURCE needs SYMBOL
# A source that is compiled more than once is still one. What begins with "__"
# is the compiler's, cJSON_* the library's, for which helpers/bundle/cjson.c
# stands in.

# The source of an object: DIR/[TARGET-]NAME.o
function source_of(object,  dir) {
	sub(/:$/, "", object)
	sub(/\.o$/, ".c", object)
	if (object in is_source)
		return object
	dir = object
	sub(/[^\/]*$/, "", dir)
	sub(/^.*\//, "", object)
	sub(/^[^-]*-/, "", object)
	return (dir object) in is_source ? dir object : ""
}
FNR == NR { is_source[$1] = 1; next }
$1 != object { object = $1; source = source_of(object) }
source == "" || $2 ~ /^(main$|__|cJSON_)/ { next }
$3 ~ /^[Uwv]$/ { tell("needs") }
$3 ~ /^[A-TV-Zu]$/ { tell("has") }
function tell(what) {
	if (!seen[source, what, $2]++)
		print source, what, $2
}
