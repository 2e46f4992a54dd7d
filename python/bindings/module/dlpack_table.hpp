// DLPack without a Python call: the table of C functions of the class USMArray.
#pragma once

namespace usmx::bindings {

/// USMArray.__dlpack_c_exchange_api__, once the class is bound.
void bind_dlpack_table();

}  // namespace usmx::bindings
