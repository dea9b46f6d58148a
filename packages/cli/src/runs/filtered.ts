/** The items of a list for which a condition holds, as they come. */
export async function* filtered<T>(items: AsyncIterable<T>, holds: (item: T) => boolean): AsyncGenerator<T, void> {
  for await (const item of items) if (holds(item)) yield item;
}
