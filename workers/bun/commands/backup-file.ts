import { access } from 'node:fs/promises'

import type { Environment } from './action.ts'

/** The text of `--help` of `backup` and `restore` about the passphrase. */
export const PASSPHRASE_ABOUT =
  '\n  TIDEMARK_BACKUP_PASSPHRASE has the passphrase that encrypts a backup, of 12 to 256 characters.'

const PASSPHRASE_MIN = 12
const PASSPHRASE_MAX = 256

export function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** @throws {RangeError} where the variable is not set, or is too short or too long */
export function passphraseOf(environment: Environment): string {
  const passphrase = environment['TIDEMARK_BACKUP_PASSPHRASE'] ?? ''
  if (passphrase === '')
    throw new RangeError('Set TIDEMARK_BACKUP_PASSPHRASE, which encrypts and decrypts backups.')
  if (passphrase.length >= PASSPHRASE_MIN && passphrase.length <= PASSPHRASE_MAX) return passphrase
  throw new RangeError(
    `TIDEMARK_BACKUP_PASSPHRASE has ${passphrase.length} characters; it must have ${PASSPHRASE_MIN} to ${PASSPHRASE_MAX}.`,
  )
}
