/* The mark that every program and module which includes Python.h carries: an ELF note that says for which layout
 * of objects it was compiled. Its inline functions change reference counts themselves, so a module with another
 * mark, or none, is not loaded. */
#ifndef OURO_ABI_H
#define OURO_ABI_H

/* Changes with the layout of objects, and with what the inline functions do to them. */
#ifdef OURO_REFCOUNT_PLAIN
#define OURO_ABI_VERSION 0x10002
#else
#define OURO_ABI_VERSION 2
#endif

#define OURO_ABI_TEXT_(number) #number
#define OURO_ABI_TEXT(number) OURO_ABI_TEXT_(number)

/* One note a file, however many sources it is made of. Name, description and type as in elf(5). */
__asm__(".pushsection .note.ouroboros, \"aG\", %note, ouroboros_abi, comdat\n"
        ".balign 4\n"
        ".long 10, 4, 1\n"
        ".asciz \"Ouroboros\"\n"
        ".balign 4\n"
        ".long " OURO_ABI_TEXT(OURO_ABI_VERSION) "\n"
                                                 ".popsection\n");

#endif
