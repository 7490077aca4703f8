import { releaseLine } from '../../server/start.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { outcome } from './printing.ts'

/** `tidemark version`: prints the release of the command; with `--json` as `GET /version` of a service. */
export const versionCommand: Command = {
  name: 'version',
  about: 'Prints the version of this command and the release of the interface.',
  actions: { '': { words: '', count: [0, 0], options: { json: { value: null } }, run: version } },
}

async function version(invocation: Invocation): Promise<Outcome> {
  const { RELEASE } = await import('../../../src/operations/health/service.ts')
  const line = await releaseLine()
  return outcome(invocation, RELEASE, () => line)
}
