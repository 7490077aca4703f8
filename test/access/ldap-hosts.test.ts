import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { ADMIN } from '../hosts/host.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import { hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import { dnOf, PASSWORD, person } from './ldap-stage.ts'

let slapd: Slapd
beforeAll(async () => {
  if (hasSlapd) slapd = await startSlapd(person('ada') + person('ben'))
})
afterAll(async () => {
  if (hasSlapd) await slapd.close()
})

type User = { readonly username: string; readonly disabled: boolean }

describe.skipIf(!hasSlapd).each(HOSTS_BY_HAND)('the %s host', (_, start) => {
  test('syncs by itself, and who is gone has no way in any more', async () => {
    const { host, passNight, meddle } = await start(slapd.variables)
    const request = (
      path: string,
      init: { headers: Record<string, string>; method?: string; body?: string },
    ) => fetch(host.url + path, { ...init, headers: { 'content-type': 'application/json', ...init.headers } })
    const as = ({ username, password }: typeof ADMIN | { username: string; password: string }) => ({
      authorization: `Basic ${btoa(`${username}:${password}`)}`,
    })
    const users = async () => (await (await request('/users', { headers: as(ADMIN) })).json()) as User[]
    // The first request makes the administrator.
    expect((await request('/healthz', { headers: {} })).status).toBe(200)
    await passNight()
    expect((await users()).map(({ username }) => username)).toEqual(['admin', 'ada', 'ben'])
    expect((await request('/users', { headers: as({ username: 'ada', password: PASSWORD }) })).status).toBe(
      200,
    )

    const login = { username: 'ada', password: PASSWORD }
    const opened = await request('/session/login', {
      method: 'POST',
      headers: {},
      body: JSON.stringify(login),
    })
    const { sessionId } = (await opened.json()) as { sessionId: string }
    await meddle('update sessions set expires_at = expires_at * 2')
    const bySession = { headers: { 'x-session-id': sessionId } }
    expect((await request('/users', bySession)).status).toBe(200)
    await slapd.change((client) => client.del(dnOf('ada')))
    try {
      await passNight()
      expect(await users()).toMatchObject([{ disabled: false }, { disabled: true }, { disabled: false }])
      expect((await request('/users', bySession)).status).toBe(401)
      expect((await request('/users', { headers: as(login) })).status).toBe(401)
    } finally {
      await slapd.change((client) =>
        client.add(dnOf('ada'), {
          objectClass: 'inetOrgPerson',
          ...{ uid: 'ada', cn: 'ada', sn: 'ada', userPassword: PASSWORD },
        }),
      )
      await host.close()
    }
  }, 60_000)

  test('answers 503 with Retry-After while the directory is away, and 401 to who is not there', async () => {
    const { host, passNight } = await start(slapd.variables)
    await (await fetch(`${host.url}/healthz`)).text()
    await passNight()
    const logIn = (username: string) =>
      fetch(`${host.url}/session/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password: PASSWORD }),
      })
    expect((await logIn('ben')).status).toBe(200)
    await slapd.stop()
    try {
      const away = await logIn('ben')
      expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await away.json()).toMatchObject({ code: 'unavailable', detail: 'The directory is away.' })
      expect((await logIn('nobody')).status).toBe(401)
    } finally {
      await slapd.start()
    }
    expect((await logIn('ben')).status).toBe(200)
    expect(host.logs.join('\n')).not.toContain(PASSWORD)
    await host.close()
  }, 60_000)
})
