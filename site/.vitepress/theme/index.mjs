import DefaultTheme from 'vitepress/theme';
import DemoPlayer from './DemoPlayer.vue';
import './style.css';

/** The default theme, and the player of the demo on the first page. */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('DemoPlayer', DemoPlayer);
  },
};
