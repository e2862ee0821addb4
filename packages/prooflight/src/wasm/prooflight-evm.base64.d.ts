/** The bytes of the binary in Base64; the JavaScript is made by the build. */
declare const base64: string;
export default base64;
