import { userInfo } from 'node:os'

/** The exit codes of the command, as in `docs/operations/troubleshooting.md`; most come from `sysexits.h`. */
export const EXIT = {
  usage: 2,
  data: 65,
  address: 68,
  unavailable: 69,
  storage: 71,
  directory: 73,
  held: 75,
  settings: 78,
} as const

/** A reason for which a command ends that the operator can remove. Its message is one line: what happened, then what to do. */
export class CommandFailure extends RangeError {
  readonly exitCode: number

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

const CHOOSE = 'set TIDEMARK_DATA_DIR to another directory'

type FailureReason = {
  readonly exitCode: number
  readonly happened: string
  readonly remedy: string
}

const NOT_A_DIRECTORY: FailureReason = {
  exitCode: EXIT.directory,
  happened: 'cannot be used as a directory: a file has this path',
  remedy: `Remove the file, or ${CHOOSE}`,
}
const NOT_ALLOWED: FailureReason = {
  exitCode: EXIT.directory,
  happened: 'cannot be read and written by %user',
  remedy: `Make %user its owner (chown), start the service as its owner, or ${CHOOSE}`,
}
const NO_ROOM: FailureReason = {
  exitCode: EXIT.directory,
  happened: 'cannot be written: its disk is full',
  remedy: 'Free some space there and start again',
}
const DAMAGED: FailureReason = {
  exitCode: EXIT.data,
  happened: 'is damaged',
  remedy: 'Keep a copy, start with an empty data directory, and restore a backup there (tidemark restore)',
}

/** By the code of the system's or of SQLite's error, or by its beginning. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  EEXIST: NOT_A_DIRECTORY,
  ENOTDIR: NOT_A_DIRECTORY,
  EROFS: {
    exitCode: EXIT.directory,
    happened: 'is on a file system that is mounted read-only',
    remedy: `Mount it writable, or ${CHOOSE}`,
  },
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  SQLITE_CANTOPEN: NOT_ALLOWED,
  SQLITE_READONLY: NOT_ALLOWED,
  SQLITE_PERM: NOT_ALLOWED,
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  SQLITE_FULL: NO_ROOM,
  SQLITE_CORRUPT: DAMAGED,
  SQLITE_NOTADB: DAMAGED,
  SQLITE_IOERR: {
    exitCode: EXIT.storage,
    happened: 'cannot be read or written: the disk reports an error',
    remedy: "Check the system's log for disk errors, and start again when they are fixed",
  },
  SQLITE_BUSY: {
    exitCode: EXIT.unavailable,
    happened: 'is locked by another program',
    remedy: 'Stop that program (fuser shows it), and start again',
  },
}

/** Checks of settings throw a RangeError that names the setting. */
const SETTING = /\b(?:TIDEMARK|SVC)_\w/

/** The reason for the operator that an error stands for; null for a fault of the program, which needs its stack. */
export function commandFailureOf(error: unknown): CommandFailure | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof CommandFailure) return cause
    if (cause instanceof RangeError && SETTING.test(cause.message))
      return new CommandFailure(EXIT.settings, cause.message, { cause: error })
    const { code, path } = cause as { readonly code?: unknown; readonly path?: unknown }
    const [, reason] = Object.entries(REASONS).find(([begin]) => String(code).startsWith(begin)) ?? []
    if (!reason || typeof path !== 'string') continue
    const text = `${path} ${reason.happened}. ${reason.remedy}.`
    return new CommandFailure(reason.exitCode, text.replaceAll('%user', userName()), { cause: error })
  }
  return null
}

/** The user of this process: one of a container, or of systemd, may have no name. */
export function userName(): string {
  const id = `uid ${process.getuid?.()}`
  try {
    const { username } = userInfo()
    return username === 'unknown' ? id : `${username} (${id})`
  } catch {
    return id
  }
}
