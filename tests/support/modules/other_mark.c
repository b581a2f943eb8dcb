/* Compiled, as its mark says, for another layout of objects. */
__asm__(".pushsection .note.ouroboros, \"a\", %note\n"
        ".balign 4\n"
        ".long 10, 4, 1\n"
        ".asciz \"Ouroboros\"\n"
        ".balign 4\n"
        ".long 999\n"
        ".popsection\n");

__attribute__((visibility("default"))) void* PyInit_other_mark(void) {
    return (void*)0;
}
