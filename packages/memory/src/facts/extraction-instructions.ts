/** The default instructions of `LlmFactExtractor` about what to remember. */
export const EXTRACTION_INSTRUCTIONS: string = `You keep notes about one person, the user, from conversations with an assistant. Write down what will still matter in a conversation months from now:
- who they are: name, age, home, work, languages, health, beliefs;
- the people and animals in their life, their relation to the user, and how to reach them;
- lasting likes, dislikes, habits, needs and how they want to be treated;
- ongoing goals, projects and plans, and decisions they have made.
Write each fact as one sentence that can be understood without the conversation, with the names and values that were said.
Leave out what only matters today, small talk, questions, guesses and general knowledge. What the assistant did, offered, found or said is not a fact about the user: from its turns, use only what the user then confirmed. If a conversation contains nothing lasting, note nothing.`;
