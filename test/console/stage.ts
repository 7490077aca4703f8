import { afterAll, beforeAll, describe } from 'bun:test'

import type { Browser } from 'playwright-core'

import { connect } from '../api/client.ts'
import type { Client } from '../api/client.ts'
import type { EdgeHost } from '../hosts/edge.ts'
import type { Host } from '../hosts/host.ts'
import { freePort } from '../bench/peers/process.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { startHost } from '../hosts/start.ts'
import { HAS_BROWSER, IS_COMPLETE, launch, visit } from './browser.ts'
import type { Look, Visit } from './browser.ts'

const START_MAX_MS = 300_000
const ONLY_BUN = HOSTS_BY_HAND.filter(([name]) => name === 'bun')

/** A host with a user of each role, and a browser. */
export type Stage = {
  readonly name: Host['name']
  /** The URL of the service, with its base path. */
  readonly url: string
  /** Calls the API as the administrator, or as a user of another role. */
  readonly client: Client
  /** The link that creates the first administrator; null when a user exists. */
  setupLink(): Promise<string | null>
  /** Lets the time of a host by hand pass. */
  moveTo(at: number): Promise<void>
  /** Does what the trigger of each minute brings about on Workers; on Bun a timer does it. */
  passMinute(): Promise<void>
  /** Opens a path below `/ui/` and closes it after the visit, which fails for any error in the page. */
  visit(path: string, look: Partial<Look>, run: Visit): Promise<void>
}

export type StageOptions = {
  /** Environment variables of the host. */
  readonly variables?: Readonly<Record<string, string>>
  /** Variables that name the URL of the host, of a host whose time passes by itself. */
  readonly variablesAt?: (url: string) => Promise<Readonly<Record<string, string>>>
  /** True for an installation without a user. */
  readonly isNew?: boolean
  /** True for hosts whose time passes only by `moveTo`. */
  readonly isByHand?: boolean
}

/** Declares tests of the console for Bun and for workerd. The hosts and the browser start once for all of these tests.
 * @param title also names the folder of pictures, as `<title>/<host>` */
export function onBothHosts(
  title: string,
  declareTests: (stage: Stage) => void,
  options: StageOptions = {},
): void {
  onHosts(HOSTS_BY_HAND, title, declareTests, options)
}

/** The same on Bun, and by `npm run test:console` on workerd: for screens whose routes have API tests on both hosts. */
export function onMainHost(
  title: string,
  declareTests: (stage: Stage) => void,
  options: StageOptions = {},
): void {
  onHosts(IS_COMPLETE ? HOSTS_BY_HAND : ONLY_BUN, title, declareTests, options)
}

/** The same on Bun alone, for tests of the browser. */
export function onBun(title: string, declareTests: (stage: Stage) => void, options: StageOptions = {}): void {
  onHosts(ONLY_BUN, title, declareTests, options)
}

function onHosts(
  hosts: readonly (typeof HOSTS_BY_HAND)[number][],
  title: string,
  declareTests: (stage: Stage) => void,
  { variables = {}, variablesAt, isNew = false, isByHand = false }: StageOptions,
): void {
  describe.skipIf(!HAS_BROWSER)(title, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      browser = await launch()
    }, START_MAX_MS)
    afterAll(() => browser?.close())

    describe.each([...hosts])('on %s', (name, startByHand) => {
      let started:
        | { readonly host: Host; readonly client: Client | null; readonly hand: HostByHand | null }
        | undefined
      const running = () => {
        if (!started || !browser) throw new Error('The host runs during tests only.')
        return { ...started, browser }
      }
      beforeAll(async () => {
        const hand = isByHand ? await startByHand(variables) : null
        const port = variablesAt ? freePort() : 0
        const all = {
          ...variables,
          ...(isNew && { TIDEMARK_ADMIN_PASSWORD: '' }),
          ...(await variablesAt?.(`http://127.0.0.1:${port}`)),
        }
        const host = hand?.host ?? (await startHost(name, all, port))
        const url = new URL(host.url).origin + (variables['TIDEMARK_BASE_PATH'] ?? '')
        const reached = { ...host, url }
        started = { host: reached, hand, client: isNew ? null : await connect(reached) }
      }, START_MAX_MS)
      afterAll(() => started?.host.close())
      declareTests({
        name,
        get url() {
          return running().host.url
        },
        get client() {
          const { client } = running()
          if (!client) throw new Error('No user exists on this host yet.')
          return client
        },
        setupLink: () => running().host.setupLink(),
        moveTo(at) {
          const { hand } = running()
          if (!hand) throw new Error('The time of this host passes by itself.')
          return hand.moveTo(at)
        },
        async passMinute() {
          const { host } = running()
          if ('scheduled' in host) await (host as EdgeHost).scheduled('* * * * *')
        },
        visit(path, look, run) {
          const { host, browser: opened } = running()
          const place = { browser: opened, base: host.url, folder: `${title}/${name}` }
          return visit({ ...place, inAllLooks: name === 'bun' || IS_COMPLETE }, path, look, run)
        },
      })
    })
  })
}
