/** The processors whose system calls have numbers here, by the constants of Linux for filters (AUDIT_ARCH_*). */
export const PROCESSORS = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const

export type Processor = keyof typeof PROCESSORS

/** The number of a system call on each processor; null where the processor has no such call. */
export type CallNumbers = Readonly<Record<Processor, number | null>>

const numbers = (x64: number, arm64: number | null): CallNumbers => ({ x64, arm64 })

/** System calls that no script needs, and that have allowed escapes or attacks on the kernel before. */
export const REFUSED_CALLS = {
  add_key: numbers(248, 217),
  keyctl: numbers(250, 219),
  request_key: numbers(249, 218),
  unshare: numbers(272, 97),
  setns: numbers(308, 268),
  mount: numbers(165, 40),
  umount2: numbers(166, 39),
  pivot_root: numbers(155, 41),
  chroot: numbers(161, 51),
  ptrace: numbers(101, 117),
  process_vm_readv: numbers(310, 270),
  process_vm_writev: numbers(311, 271),
  kcmp: numbers(312, 272),
  pidfd_getfd: numbers(438, 438),
  bpf: numbers(321, 280),
  perf_event_open: numbers(298, 241),
  userfaultfd: numbers(323, 282),
  io_uring_setup: numbers(425, 425),
  io_uring_enter: numbers(426, 426),
  io_uring_register: numbers(427, 427),
  name_to_handle_at: numbers(303, 264),
  open_by_handle_at: numbers(304, 265),
  init_module: numbers(175, 105),
  finit_module: numbers(313, 273),
  delete_module: numbers(176, 106),
  kexec_load: numbers(246, 104),
  kexec_file_load: numbers(320, 294),
  reboot: numbers(169, 142),
  swapon: numbers(167, 224),
  swapoff: numbers(168, 225),
  acct: numbers(163, 89),
  quotactl: numbers(179, 60),
  quotactl_fd: numbers(443, 443),
  settimeofday: numbers(164, 170),
  clock_settime: numbers(227, 112),
  clock_adjtime: numbers(305, 266),
  adjtimex: numbers(159, 171),
  sethostname: numbers(170, 161),
  setdomainname: numbers(171, 162),
  syslog: numbers(103, 116),
  vhangup: numbers(153, 58),
  lookup_dcookie: numbers(212, 18),
  fanotify_init: numbers(300, 262),
  fanotify_mark: numbers(301, 263),
  fsopen: numbers(430, 430),
  fsconfig: numbers(431, 431),
  fsmount: numbers(432, 432),
  fspick: numbers(433, 433),
  open_tree: numbers(428, 428),
  move_mount: numbers(429, 429),
  mount_setattr: numbers(442, 442),
  move_pages: numbers(279, 239),
  migrate_pages: numbers(256, 238),
  process_madvise: numbers(440, 440),
  iopl: numbers(172, null),
  ioperm: numbers(173, null),
  modify_ldt: numbers(154, null),
  uselib: numbers(134, null),
  sysfs: numbers(139, null),
  ustat: numbers(136, null),
  _sysctl: numbers(156, null),
} as const satisfies Readonly<Record<string, CallNumbers>>

/** Calls of which only some uses are refused. */
export const WATCHED_CALLS = {
  clone: numbers(56, 220),
  clone3: numbers(435, 435),
  ioctl: numbers(16, 29),
  socket: numbers(41, 198),
} as const satisfies Readonly<Record<string, CallNumbers>>
