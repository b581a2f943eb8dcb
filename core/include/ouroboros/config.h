/* What CPython's pyconfig.h tells authors of the platform. Only what is true here is defined: Linux with a 64-bit
 * processor and the GNU C library. Included before any header of the system, whose extensions it asks for. */
#ifndef OURO_CONFIG_H
#define OURO_CONFIG_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

/* What CPython's own sources and debugging builds are made of is not here: who asks for it is told so, and does not
 * get another branch of a source. */
#if defined(Py_BUILD_CORE) || defined(Py_BUILD_CORE_MODULE) || defined(Py_BUILD_CORE_BUILTIN)
#error "CPython's internals are not available: Py_BUILD_CORE"
#endif
#ifdef Py_TRACE_REFS
#error "there is no list of all objects: Py_TRACE_REFS"
#endif

#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_OFF_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_PID_T 4
#define SIZEOF_UINTPTR_T 8
#define SIZEOF_WCHAR_T 4
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF__BOOL 1
#define SIZEOF_FPOS_T 16
#define SIZEOF_PTHREAD_T 8
#define SIZEOF_LONG_DOUBLE 16
#define ALIGNOF_LONG 8
#define ALIGNOF_SIZE_T 8

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WORDS_BIGENDIAN 1
#define DOUBLE_IS_BIG_ENDIAN_IEEE754 1
#define PY_BIG_ENDIAN 1
#define PY_LITTLE_ENDIAN 0
#else
#define DOUBLE_IS_LITTLE_ENDIAN_IEEE754 1
#define PY_BIG_ENDIAN 0
#define PY_LITTLE_ENDIAN 1
#endif

#define STDC_HEADERS 1
#define WITH_THREAD 1
#define WITH_DOC_STRINGS 1
#define VA_LIST_IS_ARRAY 1
#define RETSIGTYPE void
#define HAVE_LONG_LONG 1
#define HAVE_UINTPTR_T 1
#define HAVE_INT32_T 1
#define HAVE_UINT32_T 1
#define HAVE_INT64_T 1
#define HAVE_UINT64_T 1
#define HAVE_SSIZE_T 1
#define HAVE_LARGEFILE_SUPPORT 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_WCHAR_H 1
#define HAVE_PROTOTYPES 1
#define HAVE_STDARG_PROTOTYPES 1

/* Headers of the system. */
#define HAVE_ALLOCA_H 1
#define HAVE_ARPA_INET_H 1
#define HAVE_ASM_TYPES_H 1
#define HAVE_DIRENT_H 1
#define HAVE_DLFCN_H 1
#define HAVE_ENDIAN_H 1
#define HAVE_ERRNO_H 1
#define HAVE_FCNTL_H 1
#define HAVE_GRP_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_LANGINFO_H 1
#define HAVE_LIMITS_H 1
#define HAVE_LINUX_RANDOM_H 1
#define HAVE_MEMORY_H 1
#define HAVE_NETDB_H 1
#define HAVE_NETINET_IN_H 1
#define HAVE_NET_IF_H 1
#define HAVE_POLL_H 1
#define HAVE_PTHREAD_H 1
#define HAVE_SCHED_H 1
#define HAVE_SHADOW_H 1
#define HAVE_SIGNAL_H 1
#define HAVE_SPAWN_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_SYSLOG_H 1
#define HAVE_SYS_EPOLL_H 1
#define HAVE_SYS_EVENTFD_H 1
#define HAVE_SYS_FILE_H 1
#define HAVE_SYS_IOCTL_H 1
#define HAVE_SYS_MMAN_H 1
#define HAVE_SYS_PARAM_H 1
#define HAVE_SYS_POLL_H 1
#define HAVE_SYS_RANDOM_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_SELECT_H 1
#define HAVE_SYS_SENDFILE_H 1
#define HAVE_SYS_SOCKET_H 1
#define HAVE_SYS_STATVFS_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_SYSCALL_H 1
#define HAVE_SYS_TIMES_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_UIO_H 1
#define HAVE_SYS_UN_H 1
#define HAVE_SYS_UTSNAME_H 1
#define HAVE_SYS_WAIT_H 1
#define HAVE_SYS_XATTR_H 1
#define HAVE_TERMIOS_H 1
#define HAVE_UNISTD_H 1
#define HAVE_UTIME_H 1

/* Functions of the system. */
#define HAVE_ALARM 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_COPYSIGN 1
#define HAVE_DUP2 1
#define HAVE_FCHMOD 1
#define HAVE_FCHOWN 1
#define HAVE_FDATASYNC 1
#define HAVE_FORK 1
#define HAVE_FSYNC 1
#define HAVE_FTRUNCATE 1
#define HAVE_GETADDRINFO 1
#define HAVE_GETHOSTBYNAME_R 1
#define HAVE_GETNAMEINFO 1
#define HAVE_GETPAGESIZE 1
#define HAVE_GETPID 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_HYPOT 1
#define HAVE_INET_ATON 1
#define HAVE_INET_PTON 1
#define HAVE_KILL 1
#define HAVE_LSTAT 1
#define HAVE_MKTIME 1
#define HAVE_MMAP 1
#define HAVE_NICE 1
#define HAVE_PIPE 1
#define HAVE_POLL 1
#define HAVE_PUTENV 1
#define HAVE_READLINK 1
#define HAVE_SELECT 1
#define HAVE_SETENV 1
#define HAVE_SIGACTION 1
#define HAVE_SNPRINTF 1
#define HAVE_SOCKETPAIR 1
#define HAVE_STRDUP 1
#define HAVE_STRERROR 1
#define HAVE_STRFTIME 1
#define HAVE_SYMLINK 1
#define HAVE_SYSCONF 1
#define HAVE_TRUNCATE 1
#define HAVE_UNAME 1
#define HAVE_UNSETENV 1
#define HAVE_WAITPID 1
#define HAVE_ROUND 1
#define HAVE_DECL_ISFINITE 1
#define HAVE_DECL_ISINF 1
#define HAVE_DECL_ISNAN 1

#endif
