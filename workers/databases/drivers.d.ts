/** The used part of the drivers without types of their own. */
declare module 'pg' {
  export type ClientOptions = {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
    readonly password: () => string
    readonly application_name: string
    readonly connectionTimeoutMillis: number
    readonly types: { getTypeParser(): (text: string) => unknown }
    readonly ssl: false | object
  }
  type Query = {
    readonly text: string
    readonly values?: readonly unknown[]
    readonly rowMode?: 'array'
    readonly queryMode?: 'extended'
    readonly query_timeout: number
  }
  type Stream = {
    destroy(error?: Error): void
    emit: (...event: never[]) => boolean
  }
  /** The parsers of the driver. */
  export const types: ClientOptions['types']
  export class Client {
    constructor(options: ClientOptions)
    readonly processID: number
    readonly connection: { readonly stream: Stream; attachListeners: (stream: Stream) => void }
    on(event: 'error', listener: (error: Error) => void): this
    once(event: 'end', listener: () => void): this
    once(event: 'error', listener: (error: Error) => void): this
    connect(): Promise<void>
    query<Submitted extends { submit(connection: never): void }>(submitted: Submitted): Submitted
    query(query: Query): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null }>
    end(): Promise<void>
  }
}

declare module 'pg-cursor' {
  type Field = { readonly name: string; readonly dataTypeID: number }
  export default class Cursor {
    constructor(
      text: string,
      values: readonly unknown[],
      options: { readonly rowMode: 'array'; readonly types: object },
    )
    submit(connection: never): void
    read(
      rowsMax: number,
      done: (
        error: Error | null,
        rows: (string | null)[][],
        result: { readonly fields: readonly Field[] } | undefined,
      ) => void,
    ): void
  }
}
