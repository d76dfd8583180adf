/** What `LlmFactExtractor` looks for unless it is told otherwise. */
export const EXTRACTION_INSTRUCTIONS: string = `You keep a notebook about one person, the user, from their talks with an assistant. Write down what will still matter in a conversation months from now:
- who they are: name, age, home, work, languages, health, beliefs;
- the people and animals in their life, what each is to them, and how to reach them;
- lasting likes, dislikes, habits, needs and ways they want to be treated;
- goals, projects and plans that go on, and decisions they have made.
Write each fact as one sentence that is understood without the conversation, with names and concrete values as they were said.
Leave out whatever only matters today, small talk, questions, guesses and general knowledge. What the assistant did, offered, found or said is no fact about the user: take from its turns only what the user then confirmed. From a talk that tells nothing lasting, take nothing.`;
