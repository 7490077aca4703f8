import type { DemoView } from '../../../src/automation/demo/service.ts'
import { serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { outcome } from './printing.ts'

const SEED = 'wadden'
const ASK_EVERY_MS = 500

/** `tidemark demo`: makes the demo plant and waits until it is complete, or removes it. */
export const demoCommand: Command = {
  name: 'demo',
  about:
    'Makes the demo plant in a running service that has no objects yet, or removes it with --remove. The same seed makes\n' +
    '  the same plant. It needs the credentials of an administrator.',
  actions: {
    '': serviceAction({
      words: '',
      count: [0, 0],
      options: { seed: { value: 'text' }, remove: { value: null } },
      run: demo,
    }),
  },
}

async function demo(invocation: Invocation): Promise<Outcome> {
  const client = invocation.client()
  if (invocation.isSet('remove')) {
    await client.ask('DELETE', '/demo')
    return outcome(invocation, { state: 'absent' }, () => 'The demo plant is removed.\n')
  }
  const seed = invocation.text('seed') ?? SEED
  let view = await client.json<DemoView>('POST', '/demo', JSON.stringify({ seed }))
  while (view.state === 'making') {
    await Bun.sleep(ASK_EVERY_MS)
    view = await client.read<DemoView>('/demo')
  }
  if (view.state !== 'running')
    throw new RangeError(`The demo plant is ${view.state}: another caller removes it.`)
  return outcome(
    invocation,
    view,
    ({ groupId }) =>
      `The demo plant is complete: group ${groupId}. Its jobs get a value every five minutes.\n`,
  )
}
