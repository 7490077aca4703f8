import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client } from 'ldapts'

import { freePort } from '../bench/peers/process.ts'

/** Debian puts it where the search path of most users does not lead. */
const PROGRAM = Bun.which('slapd', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` })

/** Whether an OpenLDAP server can be started here. */
export const hasSlapd = PROGRAM !== null

export const BASE_DN = 'dc=example,dc=org'
export const ADMIN_DN = `cn=service,${BASE_DN}`
export const ADMIN_PASSWORD = 'what the service knows'

/** An OpenLDAP server of a test's own, with the memberof overlay and what a test needs of Active Directory. */
export type Slapd = {
  readonly port: number
  readonly url: string
  readonly securePort: number
  /** Who signed its certificate, which is for `localhost` and for no address. */
  readonly ca: string
  /** The settings under which a host on this machine reaches it. */
  readonly variables: Readonly<Record<string, string>>
  /** Runs a task over a connection of the directory's own administrator. */
  change(task: (client: Client) => Promise<unknown>): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends the process; `start` starts it anew on the same data and ports. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** Starts a server with these entries, in LDIF, below its base DN. */
export async function startSlapd(ldif = ''): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-slapd-'))
  await mkdir(join(folder, 'db'))
  await makeCertificates(folder)
  const config = join(folder, 'slapd.conf')
  await Bun.write(config, configOf(folder))
  await Bun.write(join(folder, 'first.ldif'), `${ROOT}\n${ldif}`)
  await run([PROGRAM ?? '', '-T', 'add', '-f', config, '-l', 'first.ldif'], folder)
  const [port, securePort] = [freePort(), freePort()]
  const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${securePort}`
  const url = `ldap://127.0.0.1:${port}`
  let child: Bun.Subprocess | null = null
  const slapd: Slapd = {
    port,
    url,
    securePort,
    ca: await Bun.file(join(folder, 'ca.pem')).text(),
    variables: {
      TIDEMARK_LDAP_URL: url,
      TIDEMARK_LDAP_START_TLS: 'off',
      TIDEMARK_LDAP_BIND_DN: ADMIN_DN,
      TIDEMARK_LDAP_BIND_PASSWORD: ADMIN_PASSWORD,
      TIDEMARK_LDAP_BASE_DN: BASE_DN,
    },
    async change(task) {
      const client = new Client({ url })
      await client.bind(ADMIN_DN, ADMIN_PASSWORD)
      await task(client)
      await client.unbind()
    },
    signal: (name) => child?.kill(name),
    async stop() {
      child?.kill('SIGKILL')
      await child?.exited
    },
    async start() {
      child = Bun.spawn([PROGRAM ?? '', '-f', config, '-h', urls, '-d', '0'], { stderr: 'pipe' })
      await isUp(url)
    },
    async close() {
      await slapd.stop()
      await rm(folder, { recursive: true })
    },
  }
  await slapd.start()
  return slapd
}

const ROOT = `dn: ${BASE_DN}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ${ADMIN_DN}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: service
userPassword: ${ADMIN_PASSWORD}
`

const TEXT = '1.3.6.1.4.1.1466.115.121.1.15'

function configOf(folder: string): string {
  return `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' EQUALITY caseIgnoreMatch SYNTAX ${TEXT} SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.656 NAME 'userPrincipalName' EQUALITY caseIgnoreMatch SYNTAX ${TEXT} SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.782 NAME 'objectCategory' EQUALITY caseIgnoreMatch SYNTAX ${TEXT} SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9 NAME 'user' SUP inetOrgPerson STRUCTURAL
  MAY ( sAMAccountName $ userPrincipalName $ objectCategory $ objectGUID $ userAccountControl ) )
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
allow bind_anon_cred bind_anon_dn
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/own.pem
TLSCertificateKeyFile ${folder}/own.key
sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited
database mdb
maxsize 268435456
suffix "${BASE_DN}"
rootdn "cn=root,${BASE_DN}"
rootpw "${ADMIN_PASSWORD}"
directory ${folder}/db
dbnosync
index objectClass,uid,entryUUID,sAMAccountName,objectGUID eq
access to attrs=userPassword by anonymous auth by dn.exact="${ADMIN_DN}" write by * none
access to * by dn.exact="${ADMIN_DN}" manage by users read by * none
limits dn.exact="${ADMIN_DN}" size.soft=500 size.hard=500 size.prtotal=unlimited
overlay memberof
memberof-refint TRUE
`
}

/** An authority, and a certificate that it signed. */
async function makeCertificates(folder: string): Promise<void> {
  await Bun.write(join(folder, 'names'), 'subjectAltName=DNS:localhost\n')
  for (const words of [
    `req -x509 ${KEY} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority`,
    `req ${KEY} -keyout own.key -out own.csr -subj /CN=localhost`,
    'x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out own.pem -days 2 -extfile names',
  ])
    await run(['openssl', ...words.split(' ')], folder)
}

const KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

async function run(command: readonly string[], cwd: string): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stderr: 'pipe' })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed: ${said}`)
}

async function isUp(url: string): Promise<void> {
  for (let tried = 0; ; tried++) {
    const client = new Client({ url, connectTimeout: 5_000 })
    try {
      await client.bind(ADMIN_DN, ADMIN_PASSWORD)
      await client.unbind()
      return
    } catch (error) {
      if (tried >= 100) throw error
      await Bun.sleep(50)
    }
  }
}
