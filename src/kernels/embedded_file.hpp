// Embeds a file in the library.
#pragma once

// The bytes of the file at `path`, a string literal, as usmx_<symbol>_begin up to
// usmx_<symbol>_end; a null character follows.
#define USMX_EMBED(symbol, path)                                               \
  extern "C" [[gnu::visibility("hidden")]] const char usmx_##symbol##_begin[], \
      usmx_##symbol##_end[];                                                   \
  asm(".pushsection .rodata\n"                                                 \
      ".balign 64\n"                                                           \
      ".hidden usmx_" #symbol                                                  \
      "_begin\n"                                                               \
      ".globl usmx_" #symbol                                                   \
      "_begin\n"                                                               \
      "usmx_" #symbol                                                          \
      "_begin:\n"                                                              \
      ".incbin \"" path                                                        \
      "\"\n"                                                                   \
      ".hidden usmx_" #symbol                                                  \
      "_end\n"                                                                 \
      ".globl usmx_" #symbol                                                   \
      "_end\n"                                                                 \
      "usmx_" #symbol                                                          \
      "_end:\n"                                                                \
      ".byte 0\n"                                                              \
      ".popsection\n");
