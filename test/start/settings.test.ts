import { expect, test } from 'bun:test'

import { OF_ONE_HOST } from '../../src/ports/environment.ts'
import { settingWarnings as warningsOnBun } from '../../workers/server/settings.ts'
import type { Environment } from '../../workers/edge/environment.ts'
import { settingWarnings as warningsOnWorkers } from '../../workers/edge/environment.ts'
import { startHost as startEither, HOST_NAMES } from '../hosts/start.ts'
import { startHost } from './command-line.ts'

const set = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']))
const onWorkers = (names: readonly string[]) => warningsOnWorkers(set(names) as unknown as Environment)

test('each host knows its own settings, and warns of those of the other', () => {
  const { Bun: ofBun, Workers: ofWorkers } = OF_ONE_HOST
  expect(warningsOnBun(set(ofBun))).toEqual([])
  expect(onWorkers(ofWorkers)).toEqual([])
  expect(warningsOnBun(set(ofWorkers))).toHaveLength(ofWorkers.length)
  expect(onWorkers(ofBun)).toHaveLength(ofBun.length)
})

test.each([...HOST_NAMES])(
  '%s logs a warning for a setting that has no effect',
  async (name) => {
    if (name === 'bun') {
      const { stderr } = await startHost({ TIDEMARK_PROT: '1', TIDEMARK_DATA_DIR: '/dev/null' }).ended
      expect(stderr).toContain('Did you mean TIDEMARK_PORT?')
      return
    }
    const host = await startEither(name, { TIDEMARK_SMPT_URL: 'x' })
    try {
      await (await fetch(`${host.url}/healthz`)).text()
      while (!host.logs.join('\n').includes('Did you mean TIDEMARK_SMTP_URL?')) await Bun.sleep(20)
    } finally {
      await host.close()
    }
  },
  180_000,
)

test('a wildcard among the hosts that users may reach is refused with the reason', async () => {
  for (const hosts of ['*', '*.lan', 'hooks.lan,*']) {
    const { code, stderr } = await startHost({ TIDEMARK_OUTBOUND_ALLOW: hosts }).ended
    expect(code).toBe(78)
    expect(stderr).toContain(
      `TIDEMARK_OUTBOUND_ALLOW=${hosts} has a wildcard, which would open every private address`,
    )
  }
}, 180_000)
