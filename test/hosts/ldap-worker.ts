import { refusalIn } from '../../src/lib/errors.ts'
import { openLdap } from '../../workers/ldap.ts'

type Settings = Parameters<typeof openLdap>[0]

/** Asks a directory from within workerd: the body has the settings, and the password of an entry. */
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request): Promise<Response> {
    const question = (await request.json()) as Parameters<typeof askDirectory>[0]
    return Response.json({ answer: await askDirectory(question) })
  },
}

/** Whether this is the password of that entry and the entry is found; the code of the refusal where nobody can tell. */
export async function askDirectory({
  settings,
  dn,
  password,
  pauseMs = 0,
}: {
  readonly settings: Settings
  readonly dn: string
  readonly password: string
  /** How long after it was found its password is tried. */
  readonly pauseMs?: number
}): Promise<string | boolean> {
  const query = { dn, scope: 'base', filter: '(objectClass=*)', attributes: ['uid'], bytes: [] } as const
  try {
    return await openLdap(settings).connected(async (connection) => {
      let found = 0
      for await (const page of connection.search(query)) found += page.length
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      return (await connection.bind(dn, password)) && found === 1
    })
  } catch (error) {
    return refusalIn(error)?.code ?? String(error)
  }
}
