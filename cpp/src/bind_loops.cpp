// Bindings of the choice of a level for the innermost loops.
#include "fenchel/loops.hpp"

#include "bindings.hpp"

using namespace nb::literals;

void bind_loops(nb::module_& module) {
    nb::enum_<fenchel::Level>(module, "Level")
        .value("baseline", fenchel::Level::baseline)
        .value("avx2", fenchel::Level::avx2)
        .value("avx512", fenchel::Level::avx512);
    module.def("runs", &fenchel::runs, "level"_a);
    module.def("best_level", &fenchel::best_level);
    module.def("used_level", &fenchel::used_level);
    module.def("use_level", &fenchel::use_level, "level"_a);
}
