import { parseArgs } from 'node:util'

import type { DemoView } from '../../src/automation/demo/service.ts'
import { Client } from './backup/client.ts'
import { CommandFailure, EXIT } from './failures.ts'

/** The text of `tidemark demo --help`. */
export const DEMO_USAGE = `
  tidemark demo [--seed <text>] [--url <address>] [--json]
  tidemark demo --remove [--url <address>] [--json]

  Makes the demo plant in a running service that has no objects yet, or removes it. The same seed makes the same plant.
  The address is --url, or TIDEMARK_URL, or follows from TIDEMARK_HOST, TIDEMARK_PORT and TIDEMARK_BASE_PATH.
  Credentials of an administrator: TIDEMARK_USERNAME and TIDEMARK_PASSWORD.
`
const SEED = 'wadden'
const ASK_EVERY_MS = 500

/** `tidemark demo`: makes the demo plant and waits until it is complete, or removes it.
 * @returns the text to print @throws {RangeError} with the failed request */
export async function demo(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { seed = SEED, url, remove = false, json = false } = read(args)
  const client = new Client(url, environment)
  if (remove) {
    await client.ask('DELETE', '/demo')
    return json ? `${JSON.stringify({ state: 'absent' })}\n` : 'The demo plant is removed.\n'
  }
  let view = await client.json<DemoView>('POST', '/demo', JSON.stringify({ seed }))
  while (view.state === 'making') {
    await Bun.sleep(ASK_EVERY_MS)
    view = (await (await client.ask('GET', '/demo')).json()) as DemoView
  }
  if (view.state !== 'running')
    throw new RangeError(`The demo plant is ${view.state}: another caller removes it.`)
  return json
    ? `${JSON.stringify(view, null, 2)}\n`
    : `The demo plant is complete: group ${view.groupId}. Its jobs get a value every five minutes.\n`
}

function read(args: readonly string[]) {
  try {
    const options = {
      seed: { type: 'string' },
      url: { type: 'string' },
      remove: { type: 'boolean' },
      json: { type: 'boolean' },
    } as const
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `${(error as Error).message}\n${DEMO_USAGE}`)
  }
}
