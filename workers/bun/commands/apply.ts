import { CommandFailure, EXIT } from '../../server/failures.ts'
import { idOf, serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { execute } from './apply/execute.ts'
import { exportManifest } from './apply/export.ts'
import { jsonSchema, readManifest } from './apply/manifest.ts'
import { countsOf, objectsOf, planText } from './apply/plan-text.ts'
import { makePlan } from './apply/plan.ts'
import { outcome } from './printing.ts'
import { ProgressBar } from './progress.ts'

/** The exit code of `--dry-run` where the service differs from the manifest. */
const DIFFERS = 3
const ROOT_GROUP = '1'
const MANIFEST = 'exported'

/** `tidemark apply`: makes the objects of a service equal to a manifest. */
export const applyCommand: Command = {
  name: 'apply',
  about:
    'Makes groups, devices, jobs, service level objects and containers, alarm links and recipients equal to a manifest: a\n' +
    '  YAML file or a directory of them. It prints the plan and asks; --yes does not ask. --dry-run prints the plan only, and\n' +
    '  exits with 3 if there is something to do. --prune deletes objects that the manifest managed and no longer names, with\n' +
    '  their histories. --schema prints the JSON Schema of a manifest. The objects are below the group --below, or below the\n' +
    '  root.',
  actions: {
    '': serviceAction({
      words: '',
      count: [0, 0],
      options: {
        file: { value: 'path' },
        below: { value: 'group' },
        prune: { value: null },
        'dry-run': { value: null },
        yes: { value: null },
        schema: { value: null },
      },
      run: apply,
    }),
  },
}

/** `tidemark export`: prints the manifest of the objects below a group. */
export const exportCommand: Command = {
  name: 'export',
  about:
    'Prints the groups, devices, jobs, service level objects and containers with their alarm links below a group as a\n' +
    '  manifest for tidemark apply: YAML with the name --manifest. Without a group it prints all below the root. Recipients\n' +
    '  are named and not exported, because their targets may have secrets.',
  actions: {
    '': {
      words: '[<group>]',
      count: [0, 1],
      options: { manifest: { value: 'name' }, url: { value: 'address' } },
      run: async (invocation) => {
        const group = idOf(invocation.words[0] ?? ROOT_GROUP, 'group')
        const name = invocation.text('manifest') ?? MANIFEST
        const { text, omitted } = await exportManifest(invocation.client(), group, name)
        for (const sentence of omitted) process.stderr.write(`Left out: ${sentence}\n`)
        return { text }
      },
    },
  },
}

async function apply(invocation: Invocation): Promise<Outcome> {
  if (invocation.isSet('schema')) return { text: `${JSON.stringify(jsonSchema(), null, 2)}\n` }
  const path = invocation.file('file')
  if (path === undefined)
    throw new CommandFailure(EXIT.usage, 'Name the manifest: tidemark apply --file <path>.')
  const below = idOf(invocation.text('below') ?? ROOT_GROUP, 'group')
  const prunes = invocation.isSet('prune')
  const client = invocation.client()
  const plan = await makePlan(client, await readManifest(path), below)
  const counts = countsOf(plan, prunes)
  const hasWork = counts.create + counts.change + counts.delete > 0
  const text = planText(plan, prunes)
  if (invocation.isSet('dry-run') || !hasWork) {
    const exitCode = hasWork ? DIFFERS : 0
    return { ...outcome(invocation, { ...counts, applied: false }, () => text), exitCode }
  }
  if (!invocation.wantsJson) process.stdout.write(text)
  await requireConsent(invocation)
  const bar = new ProgressBar('Apply', objectsOf(plan, prunes))
  try {
    await execute(client, plan, { below, prunes, advance: () => bar.advance() })
  } finally {
    bar.end()
  }
  return outcome(invocation, { ...counts, applied: true }, () => 'Applied.\n')
}

/** @throws {RangeError} without a consent */
async function requireConsent(invocation: Invocation): Promise<void> {
  if (invocation.isSet('yes')) return
  if (!invocation.confirm)
    throw new RangeError('Nothing was changed, because there is no terminal to confirm. Pass --yes.')
  if (!(await invocation.confirm('Apply this plan? [y/N] '))) throw new RangeError('Nothing was changed.')
}
