import { askAuthService } from '../../src/access/session/service/external.ts'
import { refusalIn } from '../../src/lib/errors.ts'

/** Asks an authentication service from within workerd: the body names its URL and the credentials. */
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request): Promise<Response> {
    const { url, ...credentials } = (await request.json()) as {
      url: string
      username: string
      password: string
    }
    const network = { fetch: (one: Request) => fetch(one) }
    try {
      return Response.json({ answer: await askAuthService(network, url, credentials) })
    } catch (error) {
      return Response.json({ answer: refusalIn(error)?.code ?? String(error) })
    }
  },
}
