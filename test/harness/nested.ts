/** JSON of so many lists in each other. */
export const nestedJson = (times: number) => "[".repeat(times) + "]".repeat(times);
