// The used part of the library for Workers: its own types include the types of Node, which clash with theirs.
type Done<Result> = (error: Error | null, result: Result) => void

export interface Connection {
  readonly threadId: number | null
  connect(done: (error: Error | null) => void): void
  on(event: 'error', listener: (error: Error) => void): this
  query(query: object, done: Done<unknown>): void
  execute(query: object, done?: Done<unknown>): { stream(options: object): Rows }
  destroy(): void
}

interface Rows extends AsyncIterable<readonly unknown[]> {
  once(event: string, listener: (value: never) => void): this
}

export function createConnection(options: object): Connection
