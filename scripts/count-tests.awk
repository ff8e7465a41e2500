# Reads the output of "ctest --verbose" and prints a line for each test: "passed NAME",
# "failed NAME" or "skipped NAME". What the programs print begins with their number: "12: ".
#
# A program's tests are those that cmocka ran in it. One that began and has no result failed. The
# program itself counts as one test where it has none (no cmocka program), where it is a mutant
# (named so: its tests have to fail, and ctest says whether they did), and as a failed one where it
# failed although its tests didn't (a leak found at its end, a time-out).

function note(number, verdict, name) {
    notes[number] = notes[number] verdict " " name "\n"
    failed[number] += verdict == "failed"
    current[number] = ""
}

/^[0-9]+: / {
    number = $1 + 0
    text = substr($0, index($0, ": ") + 2)
    if (text ~ /^\[==========\] .*Running [0-9]+ test/) {
        running[number] = is_cmocka[number] = 1
    } else if (text ~ /^\[==========\] .*test\(s\) run/) {
        running[number] = 0
    } else if (!running[number]) {
        next
    } else if (index(text, "[ RUN      ] ") == 1) {
        if (current[number] != "")
            note(number, "failed", current[number] " (no result)")
        current[number] = substr(text, 14)
    } else if (text == "[  FAILED  ] GROUP SETUP" || text == "[  FAILED  ] GROUP TEARDOWN") {
        note(number, "failed", substr(text, 14))
    } else if (current[number] == "") {
        next
    } else if (index(text, "[       OK ] " current[number])) {
        note(number, "passed", current[number])
    } else if (index(text, "[  FAILED  ] " current[number])) {
        note(number, "failed", current[number])
    } else if (index(text, "[  SKIPPED ] " current[number])) {
        note(number, "skipped", current[number])
    }
    next
}

/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    match($0, /#[0-9]+: /)
    number = substr($0, RSTART + 1, RLENGTH - 3) + 0
    program[number] = substr($0, RSTART + RLENGTH)
    sub(/ .*/, "", program[number])
    result[number] = "failed"
    if ($0 ~ / Passed +[0-9.]+ sec/)
        result[number] = "passed"
    else if ($0 ~ /\*\*\*Skipped /)
        result[number] = "skipped"
    if (number > last)
        last = number
}

END {
    for (number = 1; number <= last; number++) {
        if (!(number in program))
            continue
        if (!is_cmocka[number] || result[number] == "skipped" || program[number] ~ /mutant/) {
            print result[number] " " program[number]
            continue
        }
        if (current[number] != "")
            note(number, "failed", current[number] " (no result)")
        if (result[number] == "failed" && !failed[number])
            note(number, "failed", program[number])
        printf "%s", notes[number]
    }
}
