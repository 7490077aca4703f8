import { seal, unseal } from '../../../access/session/keys.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import { SEAL_IV_BYTES, sealFor, unsealFrom } from '../archive/keys.ts'
import type { ArchiveKeys } from '../archive/keys.ts'
import { rowOf } from '../archive/lines.ts'
import type { Table } from '../store/tables.ts'

/** Seals one secret anew. */
type Reseal = (sealed: string, purpose: string) => Promise<string>

/** Seals secrets of the installation with the key of an archive. */
export function forArchive(secrets: Secrets, keys: ArchiveKeys): Reseal {
  return async (sealed, purpose) =>
    sealFor(keys, secrets.random(SEAL_IV_BYTES), await unseal(secrets, sealed, purpose), purpose)
}

/** Seals secrets of an archive with the key of the installation. */
export function forHere(secrets: Secrets, keys: ArchiveKeys): Reseal {
  return async (sealed, purpose) => seal(secrets, await unsealFrom(keys, sealed, purpose), purpose)
}

/** A row whose secrets are sealed anew; what has none stays as it is.
 * @throws {Refusal} conflict for a secret that cannot be read */
export async function reseal(
  { name, sealed }: Pick<Table, 'name' | 'sealed'>,
  columns: readonly string[],
  cells: readonly unknown[],
  anew: Reseal,
): Promise<readonly unknown[]> {
  if (!sealed) return cells
  try {
    if (typeof sealed === 'function')
      return await resealNamed(columns, cells, (text, secret) => anew(text, sealed(secret)))
    const row = rowOf(columns, cells)
    const purposes = new Map(Object.entries(sealed))
    return await Promise.all(
      cells.map((cell, index) => {
        const purpose = purposes.get(columns[index] ?? '')?.(row)
        return purpose === undefined || typeof cell !== 'string' || cell === '' ? cell : anew(cell, purpose)
      }),
    )
  } catch (error) {
    const refusal = new Refusal(
      'conflict',
      `Cannot decrypt a secret in ${name}: the installation key has changed or is missing.`,
    )
    refusal.cause = error
    throw refusal
  }
}

async function resealNamed(
  columns: readonly string[],
  cells: readonly unknown[],
  anew: Reseal,
): Promise<readonly unknown[]> {
  const place = columns.indexOf('secrets')
  const secrets = JSON.parse(String(cells[place])) as Record<string, string>
  const entries = Object.entries(secrets).map(async ([name, one]) => [name, await anew(one, name)])
  return cells.with(place, JSON.stringify(Object.fromEntries(await Promise.all(entries))))
}
