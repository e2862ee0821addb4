const tests = { rootDir: __dirname, testMatch: ["<rootDir>/*.test.js"] };

module.exports = {
  projects: [
    { ...tests, displayName: "default" },
    { ...tests, displayName: "jsdom", testEnvironment: "jsdom" },
    {
      ...tests,
      displayName: "ts-jest",
      testMatch: ["<rootDir>/ts/*.test.ts"],
      transform: { "\\.ts$": ["ts-jest", { tsconfig: "<rootDir>/ts/tsconfig.json" }] },
    },
  ],
};
