/** What the tests take of the library, which brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http'

  export type KoaContext = {
    readonly path: string
    readonly req: IncomingMessage
    readonly res: ServerResponse
    respond: boolean
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
    }
  }

  class Grant {
    constructor(about: { clientId: string; accountId: string })
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: typeof Grant
    use(middleware: (context: KoaContext, next: () => Promise<void>) => Promise<void>): void
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>
    callback(): (req: IncomingMessage, res: ServerResponse) => void
    on(
      event: 'backchannel.error' | 'server_error',
      listener: (context: KoaContext, error: Error) => void,
    ): void
  }
}
