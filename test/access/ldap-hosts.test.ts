import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { ADMIN } from '../hosts/host.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { dnOf, PASSWORD, person } from './ldap-stage.ts'

const LOOKS_A_NIGHT = 50

type User = { readonly username: string; readonly disabled: boolean }

describe.skipIf(!hasSlapd).each(HOSTS_BY_HAND)('the %s host', (_, start) => {
  let slapd: Slapd
  let hand: HostByHand
  beforeAll(async () => {
    slapd = await startSlapd(person('ada') + person('ben'))
    hand = await start(slapd.variables)
    // The first request makes the administrator, without whom nobody else comes.
    await (await fetch(`${hand.host.url}/healthz`)).text()
    await passNightsUntil(({ ben }) => ben === false)
  }, 180_000)
  afterAll(async () => {
    await hand.host.close()
    await slapd.close()
  })

  const logIn = (username: string) =>
    fetch(`${hand.host.url}/session/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: PASSWORD }),
    })
  const usersFor = (headers: Record<string, string>) => fetch(`${hand.host.url}/users`, { headers })
  const byBasic = (username: string, password: string) => ({
    authorization: `Basic ${btoa(`${username}:${password}`)}`,
  })
  async function disabled(): Promise<Record<string, boolean>> {
    const users = (await (await usersFor(byBasic(ADMIN.username, ADMIN.password))).json()) as User[]
    return Object.fromEntries(users.map((user) => [user.username, user.disabled]))
  }

  /** Passes nights until users are so: what a night brings goes on beside each other, and a sync that a night's leap
   * overtakes is left to the next. */
  async function passNightsUntil(isDone: (users: Record<string, boolean>) => boolean): Promise<void> {
    for (;;) {
      await hand.passNight()
      for (let looked = 0; looked < LOOKS_A_NIGHT; looked++) {
        if (isDone(await disabled())) return
        await Bun.sleep(20)
      }
    }
  }

  test('answers 503 with Retry-After while the directory is away, and 401 to who is not there', async () => {
    expect((await logIn('ben')).status).toBe(200)
    await slapd.stop()
    try {
      const away = await logIn('ben')
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await away.json()).toMatchObject({
        code: 'unavailable',
        detail: 'The directory is unavailable. Try again later.',
      })
      expect((await logIn('nobody')).status).toBe(401)
    } finally {
      await slapd.start()
    }
    expect((await logIn('ben')).status).toBe(200)
  }, 180_000)

  test('syncs by itself, and who is gone has no way in any more', async () => {
    expect(await disabled()).toEqual({ admin: false, ada: false, ben: false })
    const { sessionId } = (await (await logIn('ada')).json()) as { sessionId: string }
    // Two nights are longer than a session.
    await hand.meddle('update sessions set expires_at = expires_at * 2')
    expect((await usersFor({ 'x-session-id': sessionId })).status).toBe(200)
    expect((await usersFor(byBasic('ada', PASSWORD))).status).toBe(200)
    await slapd.change((client) => client.del(dnOf('ada')))
    await passNightsUntil(({ ada }) => ada === true)
    expect(await disabled()).toEqual({ admin: false, ada: true, ben: false })
    expect((await usersFor({ 'x-session-id': sessionId })).status).toBe(401)
    expect((await usersFor(byBasic('ada', PASSWORD))).status).toBe(401)
    expect(hand.host.logs.join('\n')).not.toContain(PASSWORD)
  }, 180_000)
})
