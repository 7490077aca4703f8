import type { RestoreView } from '../../../src/content/backups/service.ts'
import { streamOf } from '../../../src/lib/chunks.ts'
import { CommandFailure, EXIT } from '../../server/failures.ts'
import { serviceAction } from './action.ts'
import type { Command, Confirm, Invocation, Outcome } from './action.ts'
import { PASSPHRASE_ABOUT, passphraseOf } from './backup-file.ts'
import { lossLines, partLines, restoredLines } from './backup-texts.ts'
import type { Client } from './client.ts'
import { bytesOf, sizeOf } from './input.ts'
import { outcome } from './printing.ts'
import { ProgressBar } from './progress.ts'

const NOT_WITH_INTO = ['replace', 'dry-run', 'objects', 'without-histories'] as const

/** `tidemark restore`: restores a file, after it has printed what is lost and has asked. */
export const restoreCommand: Command = {
  name: 'restore',
  about:
    `Restores a backup: all of it (--replace), some objects (--objects 7,8), or into an empty data directory without a\n` +
    `  running service (--into). --dry-run prints what would be lost; --yes does not ask.\n` +
    `  --objects needs --without-histories if the backup has no histories.${PASSPHRASE_ABOUT}`,
  actions: {
    '': serviceAction({
      words: '<file>',
      count: [1, 1],
      options: {
        replace: { value: null },
        yes: { value: null },
        'dry-run': { value: null },
        objects: { value: 'ids' },
        'without-histories': { value: null },
        into: { value: 'directory' },
      },
      run: restore,
    }),
  },
}

async function restore(invocation: Invocation): Promise<Outcome> {
  const { environment, confirm } = invocation
  const file = invocation.file()
  const passphrase = passphraseOf(environment)
  await sizeOf(file)
  const into = invocation.file('into')
  if (into !== undefined) {
    refuseOptions(invocation)
    const asked = { passphrase, replace: false, dryRun: false, withoutHistories: false }
    const { restoreInto } = await import('./restore-into.ts')
    return printed(invocation, await restoreInto(into, file, { asked, environment }))
  }
  const client = invocation.client()
  const send = (dryRun: boolean) => sendRestore(client, invocation, { passphrase, dryRun })
  if (invocation.isSet('dry-run')) return printed(invocation, await send(true))
  if (invocation.text('objects') === undefined && !invocation.isSet('yes'))
    await requireConsent(file, await send(true), { replace: invocation.isSet('replace'), confirm })
  return printed(invocation, await send(false))
}

/** @throws {CommandFailure} usage, for an option that a restore into a directory does not obey */
function refuseOptions(invocation: Invocation): void {
  for (const name of NOT_WITH_INTO)
    if (invocation.isSet(name) || invocation.text(name) !== undefined)
      throw new CommandFailure(EXIT.usage, `--${name} has no effect with --into: leave it out.`)
}

async function sendRestore(
  client: Client,
  invocation: Invocation,
  { passphrase, dryRun }: { readonly passphrase: string; readonly dryRun: boolean },
): Promise<RestoreView> {
  const objects = invocation.text('objects')
  const query = new URLSearchParams({
    replace: String(invocation.isSet('replace')),
    dryRun: String(dryRun),
    ...(objects === undefined
      ? {}
      : { objects, withoutHistories: String(invocation.isSet('without-histories')) }),
  })
  const file = invocation.file()
  const sizeBytes = await sizeOf(file)
  const headers = {
    'content-type': 'application/gzip',
    'content-length': String(sizeBytes),
    'x-backup-passphrase': encodeURIComponent(passphrase),
  }
  const bar = new ProgressBar(dryRun ? 'Check' : 'Restore', sizeBytes)
  try {
    const body = streamOf(bytesOf(file, sizeBytes)).pipeThrough(bar.counted())
    const path = `/backups/restore?${query.toString()}`
    return await client.json<RestoreView>('POST', path, body, headers)
  } finally {
    bar.end()
  }
}

/** Asks before anything is lost. @throws {RangeError} without a consent */
async function requireConsent(
  file: string,
  view: RestoreView,
  { replace, confirm }: { readonly replace: boolean; readonly confirm: Confirm },
): Promise<void> {
  if (!view.needsReplace) return
  const loss = lossLines(file, view)
  if (!replace)
    throw new RangeError(
      `${loss}\nThe installation is not empty. Pass --replace to delete its data and restore the backup.`,
    )
  if (!confirm)
    throw new RangeError(
      `${loss}\nNothing was restored, because there is no terminal to confirm. Pass --yes.`,
    )
  if (!(await confirm(`${loss}\nDelete this data and restore the backup? [y/N] `)))
    throw new RangeError('Nothing was restored.')
}

function printed(invocation: Invocation, answer: RestoreView): Outcome {
  const file = invocation.file()
  return outcome(invocation, answer, (view) => {
    if (view.restored) return restoredLines(file, view)
    return view.objects.length > 0 ? partLines(file, view) : lossLines(file, view)
  })
}
