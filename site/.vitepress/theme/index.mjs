import DefaultTheme from 'vitepress/theme';
import CastPlayer from './CastPlayer.vue';
import './style.css';

/** The default theme, and the player of recordings. */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('CastPlayer', CastPlayer);
  },
};
