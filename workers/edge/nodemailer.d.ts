// The used part of the library: its own types include the types of Node, which clash with the types of Workers.
export type Result = {
  readonly accepted: readonly unknown[]
  readonly rejected: readonly unknown[]
  readonly response: string
}
export function createTransport(options: object): { sendMail(letter: object): Promise<Result> }
