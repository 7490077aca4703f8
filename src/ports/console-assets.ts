/** A file of the built web console. */
export type ConsoleAsset = {
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** The body in gzip; null where it would not be smaller, or where the host compresses by itself. */
  readonly gzip: Uint8Array<ArrayBuffer> | null
  /** The `Content-Type`. */
  readonly type: string
}

/** The files of the built web console. */
export interface ConsoleAssets {
  /** @param path below the folder of the build, without a slash at its start
   * @returns null when the build has no such file */
  find(path: string): Promise<ConsoleAsset | null>
}
