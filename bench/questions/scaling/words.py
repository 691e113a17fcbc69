"""What a scaling answer says, by kind."""

from __future__ import annotations

WORDS = {
    "efficiency": "{hardware} give {speedup} times the throughput of {smallest}, {where}.",
    "efficiency_of_model": "{model:model}: {hardware} give {speedup} times the throughput of {smallest}, {where}.",
    "at_interactivity": "at {level} tokens/s per user",
    "at_concurrency": "at concurrency {level}",
    "at_batch": "at batch {level}",
    "at_request_rate": "at {level} requests/s",
    "at_equal": "at equal {load}",
    "at_best": "each at its best load",
    "at_saturated": "at full load",
    "at_scenario": "in the {scenario} scenario",
    "gives": "{hardware} give {speedup} times",
    "far_loads": "Not known {where}: measured loads are over {widest} times apart.",
    "nothing_selected": "No point matches these filters; remove one.",
    "nothing_counts": "No deployment among the {used:count point} used has two comparable chip counts.",
    "nothing_shared_load": "No deployment among the {used:count point} used has two chip counts at one load.",
    "nothing_best": "No deployment has two chip counts whose best load is known.",
    "nothing_level": "No deployment has two chip counts {where}.",
    "nothing_other_level": "No deployment has two chip counts {where}; most share {common}.",
    "nothing_beyond_limit": "No point that can be compared is known to keep {limits:verb this limit/these limits};"
    " ease {limits:verb it/them}.",
    "nothing_unknown_limit": "No ranked point states what the {limits:verb limit is/limits are} on; drop"
    " {limits:verb it/them}.",
    "nothing_disaggregated": "Nothing is compared: {points:count point} {points:verb is/are} of disaggregated"
    " deployments, which must be chosen.",
    "nothing_unmeasured": "No selected point is measured and states both chips and {metric:metric}.",
    "no_line": "no line drawn of two chip counts {where}",
    "efficiencies": "Efficiency over chips: {lines:each line}.",
    "line": "{line} {efficiency:share} from {base} to {accelerators}",
    "beyond_linear": "{hardware} give {speedup} times the throughput of {smallest}, more than in proportion.",
    "beyond_linear_room": "{hardware} give {speedup} times the throughput of {smallest}: weights fill {weights_gib} of"
    " {memory_gib} GiB there; KV cache has at least {room} times the room.",
    "beyond_linear_room_least": "{hardware} give {speedup} times the throughput of {smallest}: weights fill at least"
    " {weights_gib} of {memory_gib} GiB there; KV cache has at least {room} times the room.",
    "beyond_linear_designs": "{hardware} give {speedup} times the throughput of {smallest}: each chip count is another"
    " split of prefill and decode chips.",
    "replicas": "{replicas} replicas of {smallest} would give {ratio} times the throughput of one instance on"
    " {accelerators} (projected).",
    "replicas_loaded": "{replicas} replicas of {smallest}, each {where} ({total} in all), would give {ratio} times the"
    " throughput of one instance on {accelerators} (projected).",
    "shared": "{where} in all those replicas would give {ratio} times the throughput of the one instance (projected).",
    "shared_tpot": "{where} in all those replicas would give {ratio} times the throughput of the one instance"
    " (projected), at {tpot:metric} {replicas_tpot_ms:in {tpot}} against {tpot_ms:in {tpot}}.",
    "shared_unknown": "{where} in all ({each} for each replica) what they would give is not known: {base:count chip}"
    " never ran that load.",
    "wide_instance": "One instance on {hardware}: {gains:each gain}.",
    "gain": "{metric:metric} {wide:in {metric}}, on replicas {replicas:in {metric}}",
    "wide_cost": "{metric:metric}: {wide:in {metric}} on one instance of {hardware}, {replicas:in {metric}} on the"
    " replicas.",
    "law": "{line} follows Amdahl's law with a serial share of {contention:share} to within {error:share}, on"
    " {counts:count chip count}.",
    "law_usl": "{line} follows the Universal Scalability Law with contention {contention:share} and coherency"
    " {coherency} to within {error:share}, on {counts:count chip count}.",
    "law_peak": "The Universal Scalability Law, which {line} follows to within {error:share}, predicts a peak near"
    " {peak} chips (95 % interval {low} to {high}), beyond the measured {largest}.",
    "other_lines": "One line is drawn for each {field}; {many} more {many:verb is/are} not.",
    "lone": "No line of two chip counts: {groups}.",
    "unlike": "The lines differ in {facts}.",
    "submissions": "MLPerf submissions are compared where only the chip count differs; they state no number of"
    " instances, so replicas are not projected.",
    "derived": "Efficiencies and figures per chip are derived here; MLCommons did not verify them.",
    "designs": "Disaggregated, so each chip count is another design: {lines}.",
    "interpolation": "Interpolation is along logarithmic axes; nothing is extrapolated.",
    "interpolated": "{line} is interpolated between the loads {brackets:each bracket}.",
    "bracket": "{low} and {high} on {accelerators:count chip}",
    "far_apart": "Too far apart to judge {line}: {accelerators:all} chips.",
    "projected": "Replicas are projected as multiples of the smallest count, with the load spread evenly.",
    "hollow": "{many:count point} drawn hollow {many:verb is/are} on no line.",
    "may_rise": "{line} may give more beyond its highest measured loads.",
    "absent_level": "No point {where}: {absent:each counts}.",
    "absent_rising": "Throughput still rises at the highest measured load, so the best is not known: {absent:each"
    " counts}.",
    "absent_once": "Measured at one load only, so the best is not known: {absent:each counts}.",
    "counts": "{line} on {accelerators:all}",
    "nowhere": "The other points of the selection have no two chip counts at one load either.",
    "projection": "Projected, not measured: {replicas} replicas of {base:count chip}, {replicas} x {each} ="
    " {throughput:in {metric}}. Each replica is the measured point below.",
    "projection_interpolated": "Projected, not measured: {replicas} replicas of {base:count chip}, {replicas} x {each}"
    " = {throughput:in {metric}}. Each replica is interpolated; the nearest measured point is below.",
}
