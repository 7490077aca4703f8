/** The names of Deno that this host uses; https://docs.deno.com/api/deno/ has all of them. */
declare namespace Deno {
  type ServeHandlerInfo = { readonly remoteAddr: { readonly hostname: string } }

  function serve(
    options: {
      readonly hostname: string
      readonly port: number
      readonly onListen: () => void
    },
    handler: (request: Request, info: ServeHandlerInfo) => Response | Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }

  type Parameter = 'i32' | 'u64' | 'buffer'
  type Functions = Readonly<
    Record<string, { readonly parameters: readonly Parameter[]; readonly result: 'i32' }>
  >

  function dlopen<Symbols extends Functions>(
    path: string,
    symbols: Symbols,
  ): { readonly symbols: { readonly [Name in keyof Symbols]: (...given: (number | Int32Array)[]) => number } }
}
